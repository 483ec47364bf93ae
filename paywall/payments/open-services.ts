import type {Ledger} from '../ledger/ledger.ts';
import {reported} from '../ledger/reported.ts';
import type {Chain} from './chain/chain.ts';
import type {Facilitator, OnTrouble} from './facilitator/facilitator.ts';
import type {Observer} from './facilitator/observer.ts';
import {SETTLE_WAIT_MS, type PaymentServices} from './services.ts';
import {DEFAULT_LIMITS, LOST_AFTER_MS, VerificationLimits, type Limits} from './limits.ts';
import type {Recover} from './chain/signature.ts';
import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {errorMessage} from '../../shared/error-message.ts';

export interface ServiceOptions {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  /** Our own node of the chain. Without one, a settlement without an answer stays open until it expires. */
  readonly rpcUrl?: string | undefined;
  readonly recover: Recover;
  readonly keepAlive: PaymentServices['keepAlive'];
  readonly timeoutMs?: number | undefined;
  readonly onTrouble?: OnTrouble | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly observer?: Observer | undefined;
}

/** Opens the payment services of a gate, on every host. */
export function openServices(options: ServiceOptions): PaymentServices {
  const {ledger, facilitator, rpcUrl, onTrouble = () => undefined, recover, observer, keepAlive} = options;
  const limits = {...DEFAULT_LIMITS, ...options.limits};
  return {
    facilitator,
    ledger: reported(ledger, error => {
      onTrouble(`The ledger cannot be used, so nothing is sold: ${errorMessage(error)}`);
    }),
    chain: rpcUrl === undefined ? undefined : chainLater(rpcUrl, onTrouble),
    recover,
    observer,
    clock: Date.now,
    verifications: new VerificationLimits(limits),
    waiting: new ConcurrencyLimit(
      {
        total: limits.MAX_WAITING,
        client: limits.MAX_WAITING_PER_CLIENT,
        payer: limits.MAX_WAITING_PER_PAYER,
      },
      LOST_AFTER_MS,
    ),
    downloads: new ConcurrencyLimit({total: limits.MAX_DOWNLOADS, client: limits.MAX_DOWNLOADS_PER_CLIENT}),
    timeoutMs: options.timeoutMs ?? SETTLE_WAIT_MS,
    keepAlive,
  };
}

/** Loads the code for the chain at its first use, because it would take a third of the start time of a Worker. */
function chainLater(rpcUrl: string, onTrouble: OnTrouble): Chain {
  let chain: Chain | undefined;
  const load = async () => {
    const {chainAt} = await import('./chain/chain.ts');
    return (chain ??= chainAt(rpcUrl, onTrouble));
  };
  return {
    find: async (...asked) => (await load()).find(...asked),
    findAll: async (...asked) => (await load()).findAll(...asked),
    isSigned: async (...asked) => (await load()).isSigned(...asked),
  };
}
