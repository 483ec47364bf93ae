import type {PaymentPayload} from '@x402/core/types';
import {claimIn} from './claim.ts';
import {isOfKey} from './signature.ts';
import {UnderWay} from './under-way.ts';

/** Payments whose payer is known to have signed them, and those of one payer among them. */
const MOST_OF_KEYS = 48;
const MOST_OF_ONE_KEY = 12;
/** Of contract wallets. Anybody can make them up, in any name: they take no room from the others, nor have a share each. */
const MOST_OF_CONTRACTS = 16;

/** Bounds how many payments are verified at a time. */
export class VerifyRoom {
  readonly #ofKeys = new UnderWay(MOST_OF_KEYS, MOST_OF_ONE_KEY);
  readonly #ofContracts = new UnderWay(MOST_OF_CONTRACTS);

  /** Does the work for a payment; nothing where there is no room. */
  run<T>(payload: PaymentPayload, work: () => Promise<T>): Promise<T | undefined> {
    const {signature, authorization} = claimIn(payload).payload;
    return isOfKey(signature)
      ? this.#ofKeys.run(authorization.from.toLowerCase(), work)
      : this.#ofContracts.run('', work);
  }
}
