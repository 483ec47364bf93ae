import type {PaymentPayload} from '@x402/core/types';
import type {Payment} from '../protocol/payment.ts';
import {ConcurrencyLimit} from '../../../shared/concurrency-limit.ts';

/** Payments signed by the payer's key that are verified at a time, in total and per payer. */
const MOST_OF_KEYS = 48;
const MOST_OF_ONE_KEY = 12;
/** Payments of contract wallets. Their signatures can be made up for any address, so they have one separate limit in total. */
const MOST_OF_CONTRACTS = 16;

/** Limits how many payments are verified at a time. */
export class VerificationLimits {
  readonly #ofKeys = new ConcurrencyLimit(MOST_OF_KEYS, MOST_OF_ONE_KEY);
  readonly #ofContracts = new ConcurrencyLimit(MOST_OF_CONTRACTS);

  /** Runs the work for a payment. Returns undefined if the limit is reached. */
  run<T>({payload}: PaymentPayload, isKey: boolean, work: () => Promise<T>): Promise<T | undefined> {
    const {authorization} = payload as Payment['payload']; // `payloadOf` put it there
    return isKey ? this.#ofKeys.run(authorization.from.toLowerCase(), work) : this.#ofContracts.run('', work);
  }
}
