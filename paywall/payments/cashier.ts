import {FacilitatorResponseError} from '@x402/core/server';
import type {FacilitatorClient} from '@x402/core/server';
import type {PaymentPayload, PaymentRequirements, SettleResponse, SupportedResponse} from '@x402/core/types';
import type {NewSale} from '../ledger/sale.ts';
import {claimIn} from './claim.ts';
import {Hand} from './hand.ts';
import type {Offer} from './offer.ts';
import {boughtBy} from './ownership.ts';
import {inTime, settle, USED} from './settle.ts';
import {payloadOf, saleOf} from './terms.ts';
import type {Delay, Till} from './till.ts';

/**
 * The facilitator as `@x402/hono` sees it on one paid path. Every sale is in the books before the facilitator is asked to
 * settle it, and its outcome is written down, however late it is known.
 */
export class Cashier implements FacilitatorClient {
  readonly #offer: Offer;
  readonly #till: Till;
  /** Sales that are settled and not handed out yet, by the key of their claim. */
  readonly #settled = new Map<string, Hand>();

  constructor(offer: Offer, till: Till) {
    this.#offer = offer;
    this.#till = till;
  }

  /** The sale of a claim that was settled here a moment ago. */
  handOf(key: string): Hand | undefined {
    const hand = this.#settled.get(key);
    this.#settled.delete(key);
    return hand;
  }

  /** What the rules ask for. Whether the facilitator can settle it shows when it verifies, so it may start later. */
  getSupported(): Promise<SupportedResponse> {
    const kinds = this.#offer.requirements.map(({scheme, network}) => ({x402Version: 2, scheme, network}));
    return Promise.resolve({kinds, extensions: [], signers: {}});
  }

  async verify(payload: PaymentPayload, requirements: PaymentRequirements) {
    const claim = claimIn(payload);
    const payer = claim.payload.authorization.from;
    const told = payloadOf(claim.payload, requirements, this.#offer.required);
    const verdict = await this.#till.facilitator.verify(told, requirements);
    if (verdict.kind === 'unavailable') return putOff('unavailable');
    return verdict.kind === 'valid' ? {isValid: true, payer} : {isValid: false, invalidReason: verdict.reason, payer};
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettleResponse> {
    const claim = claimIn(payload);
    const hand = await this.#claim(saleOf(claim, this.#offer, requirements, this.#till));
    if (!hand) return putOff('in_flight');
    const outcome = await inTime(settle(hand, this.#offer, this.#till), hand, this.#till);
    switch (outcome.kind) {
      case 'settled':
        this.#settled.set(claim.key, hand);
        return outcome.receipt;
      case 'refused':
      case 'unpaid':
        return {
          success: false,
          errorReason: outcome.reason,
          transaction: '',
          network: requirements.network,
          payer: claim.payload.authorization.from,
        };
      case 'unavailable':
        return putOff('unavailable');
      case 'unclear':
      case 'unknown':
        return putOff('unknown');
    }
  }

  /** Where the books cannot be written, nothing has been charged. */
  async #claim(sale: NewSale): Promise<Hand | undefined> {
    const hand = await Hand.claim(this.#till.ledger, sale).catch(() => putOff('unavailable'));
    if (!hand || !this.#offer.pass) return hand;
    // No other sale of this payer can begin now: what was paid while this payment was verified shows.
    const isBought = await boughtBy(sale, sale.sha256, this.#offer, this.#till).catch(() => 'unknown' as const);
    if (!isBought) return hand;
    await hand.moveAndLetGo({to: 'refused', reason: USED});
    return isBought === 'unknown' ? putOff('unavailable') : undefined;
  }
}

/** The one error that `@x402/hono` passes on without logging it: an answer with status 502 that names the delay. */
function putOff(reason: Delay): never {
  throw new FacilitatorResponseError(reason);
}
