import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import type {Limits} from './limits.ts';
import {BUSY} from './retry.ts';
import {LOST_AFTER_MS} from './services.ts';

/** Who sends a payment or signs in. */
export interface Claimant {
  /** The client that the host reported, if it reports clients. */
  readonly client: string | undefined;
  /** An address in lower case. */
  readonly payer: string;
  /** Whether the payer's key is known to have signed. Otherwise a contract may have. */
  readonly isByKey: boolean;
}

/** Limits how many payments and sign-ins are verified at a time. Verifying costs requests to the facilitator and the node. */
export class VerificationLimits {
  readonly #keys: ConcurrencyLimit<'client' | 'payer'>;
  readonly #contracts: ConcurrencyLimit<'client'>;

  constructor(limits: Limits) {
    this.#keys = new ConcurrencyLimit(
      {
        total: limits.MAX_VERIFICATIONS,
        client: limits.MAX_VERIFICATIONS_PER_CLIENT,
        payer: limits.MAX_VERIFICATIONS_PER_PAYER,
      },
      LOST_AFTER_MS,
    );
    this.#contracts = new ConcurrencyLimit(
      {total: limits.MAX_CONTRACT_VERIFICATIONS, client: limits.MAX_CONTRACT_VERIFICATIONS_PER_CLIENT},
      LOST_AFTER_MS,
    );
  }

  /** Runs the verification, or returns `BUSY` at once if a limit is reached. */
  async run<T>({client, payer, isByKey}: Claimant, verify: () => Promise<T>): Promise<T | typeof BUSY> {
    const work = async () => ({result: await verify()});
    const done = isByKey ? await this.#keys.run({client, payer}, work) : await this.#contracts.run({client}, work);
    return done ? done.result : BUSY;
  }
}
