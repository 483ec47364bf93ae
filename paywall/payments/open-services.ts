import type {Ledger} from '../ledger/ledger.ts';
import {reported} from '../ledger/reported.ts';
import {chainAt} from './chain/chain.ts';
import type {Facilitator, OnTrouble} from './facilitator/facilitator.ts';
import type {Observer} from './facilitator/observer.ts';
import {SETTLE_WAIT_MS, type PaymentServices} from './services.ts';
import type {Recover} from './chain/signature.ts';
import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {errorMessage} from '../../shared/error-message.ts';

/** Requests that wait for another request, in total and per payer. Each of them reads the ledger every second. */
const MOST_WAITING = 256;
const MOST_OF_ONE_PAYER = 12;

export interface ServiceOptions {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  /** Our own node of the chain. Without one, a settlement without an answer stays open until it expires. */
  readonly rpcUrl?: string | undefined;
  readonly recover: Recover;
  readonly keepAlive: PaymentServices['keepAlive'];
  readonly timeoutMs?: number | undefined;
  readonly onTrouble?: OnTrouble | undefined;
  readonly observer?: Observer | undefined;
}

/** Opens the payment services of a gate, on every host. */
export function openServices(options: ServiceOptions): PaymentServices {
  const {ledger, facilitator, rpcUrl, onTrouble = () => undefined, recover, observer, keepAlive} = options;
  return {
    facilitator,
    ledger: reported(ledger, error => {
      onTrouble(`The ledger cannot be used, so nothing is sold: ${errorMessage(error)}`);
    }),
    chain: rpcUrl === undefined ? undefined : chainAt(rpcUrl, onTrouble),
    recover,
    observer,
    clock: Date.now,
    waiting: new ConcurrencyLimit(MOST_WAITING, MOST_OF_ONE_PAYER),
    timeoutMs: options.timeoutMs ?? SETTLE_WAIT_MS,
    keepAlive,
  };
}
