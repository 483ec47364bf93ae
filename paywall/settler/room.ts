import type {PaymentPayload} from '@x402/core/types';
import {claimIn} from '../payments/claim.ts';
import {isOfKey} from '../payments/signature.ts';
import {UnderWay} from '../payments/under-way.ts';

/** As for a facilitator over HTTP: payments whose payer is known to have signed them, and those of one payer among them. */
const MOST_OF_KEYS = 48;
const MOST_OF_ONE_KEY = 12;
/** Of contract wallets, which anybody can make up. */
const MOST_OF_CONTRACTS = 16;

/** Bounds how many payments a node is asked about at once. */
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
