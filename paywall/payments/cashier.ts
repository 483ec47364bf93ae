import {FacilitatorResponseError} from '@x402/core/server';
import type {FacilitatorClient} from '@x402/core/server';
import type {PaymentPayload, PaymentRequirements, SettleResponse, SupportedResponse} from '@x402/core/types';
import {claimIn, isOver, untimely} from './claim.ts';
import type {Claim} from './claim.ts';
import type {Facilitator, Settlement} from './facilitator.ts';
import type {Entry, Ledger, State} from './memory-ledger.ts';
import type {LookUp} from './lookup.ts';
import type {Offer} from './offer.ts';

/** Why a payment that may be good gets no document now. Nothing is lost: the same payment can be sent again. */
export type Delay = 'unavailable' | 'in_flight' | 'unknown' | 'expired';

/** What takes the money, the same for all paid paths. */
export interface Till {
  readonly facilitator: Facilitator;
  readonly ledger: Ledger;
  readonly lookUp?: LookUp | undefined;
  /** Keeps the host from ending before the promise does; a Worker's `waitUntil`. */
  readonly keepAlive?: ((work: Promise<unknown>) => void) | undefined;
}

/** How long a buyer waits for a settlement. With the verification before it, an answer takes less than 10 seconds. */
const PATIENCE_MS = 4_500;
const USED = 'invalid_exact_evm_nonce_already_used';

/**
 * The facilitator as `@x402/hono` sees it on one paid path: it locks every authorization, remembers the settled ones,
 * and never loses sight of a settlement whose answer is late or lost.
 *
 * A settlement of unknown outcome is the hard case: the money may have moved, and a buyer must neither pay twice nor get a
 * document for nothing. The same signed payment for the same path is therefore settled again, once the first try has ended.
 * Success is proof. A refusal is not: the chain decides where a node is known (`LookUp`). Where the facilitator has named
 * transactions, one of them must have paid: a payer can be quicker with another that uses up the nonce, and one payment
 * that was shown to several gates is settled for one of them. Only where an answer of the facilitator was lost, which no
 * payer can bring about, any payment counts, and, where no node is known, the code for a used nonce; not a failed
 * simulation, which an emptied wallet causes as well.
 */
export class Cashier implements FacilitatorClient {
  readonly #offer: Offer;
  readonly #till: Till;

  constructor(offer: Offer, till: Till) {
    this.#offer = offer;
    this.#till = till;
  }

  /** What the rules ask for. Whether the facilitator can settle it shows when it verifies, so it may start later. */
  getSupported(): Promise<SupportedResponse> {
    const kinds = this.#offer.requirements.map(({scheme, network}) => ({x402Version: 2, scheme, network}));
    return Promise.resolve({kinds, extensions: [], signers: {}});
  }

  async verify(payload: PaymentPayload, requirements: PaymentRequirements) {
    const claim = claimIn(payload);
    const payer = claim.payload.authorization.from;
    const known = this.#till.ledger.find(claim);
    if (known) return this.#owes(known, claim) ? {isValid: true, payer} : {isValid: false, invalidReason: USED};
    const reason = untimely(claim, Date.now() / 1000, requirements.maxTimeoutSeconds);
    if (reason) return {isValid: false, invalidReason: reason};
    const verdict = await this.#till.facilitator.verify(this.#payloadOf(claim, requirements), requirements);
    if (verdict.kind === 'unavailable') return putOff('unavailable');
    return verdict.kind === 'valid' ? {isValid: true, payer} : {isValid: false, invalidReason: verdict.reason, payer};
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettleResponse> {
    const claim = claimIn(payload);
    const known = this.#till.ledger.find(claim);
    if (known && !this.#owes(known, claim)) return failed(claim, requirements, USED);
    if (known?.state.kind === 'owed') return this.#spend(claim, known.state.receipt);
    // From here to the end of the settlement no other request gets past `#owes`.
    this.#write(claim, {kind: 'settling'});
    const settling = this.#settle(claim, requirements, known?.state);
    this.#till.keepAlive?.(settling);
    const settlement = await within(PATIENCE_MS, settling);
    if (!settlement) return this.#putOffUntil(settling, claim);
    if (settlement.kind === 'settled') return this.#spend(claim, settlement.receipt);
    this.#close(claim, settlement);
    if (settlement.kind === 'refused') return failed(claim, requirements, settlement.reason);
    return putOff(settlement.kind === 'unknown' && isOver(claim, Date.now() / 1000) ? 'expired' : settlement.kind);
  }

  /** Whether an authorization that was seen before still buys this document. */
  #owes({path, signature, state}: Entry, claim: Claim): boolean {
    if (path !== this.#offer.rule.path || signature !== claim.payload.signature) return false;
    if (state.kind === 'settling' || state.kind === 'late')
      return putOff(state.kind === 'late' ? 'unknown' : 'in_flight');
    return state.kind !== 'spent';
  }

  /** @param before what is known of an earlier try */
  async #settle(claim: Claim, requirements: PaymentRequirements, before: State | undefined): Promise<Settlement> {
    const settlement = await this.#till.facilitator.settle(this.#payloadOf(claim, requirements), requirements);
    if (!before || settlement.kind === 'settled') return settlement;
    const sent = sentInAll(before, settlement);
    const finding = (await this.#till.lookUp?.(claim, requirements)) ?? {kind: 'unavailable' as const};
    const {network} = requirements;
    const receipt = {success: true, transaction: '', network, payer: claim.payload.authorization.from};
    if (finding.kind === 'paid') {
      const {transaction} = finding;
      const isOurs = sent === undefined || sent.length === 0 || sent.includes(transaction.toLowerCase());
      return isOurs ? {kind: 'settled', receipt: {...receipt, transaction}} : {kind: 'refused', reason: USED};
    }
    if (finding.kind === 'unpaid') return isOver(claim, Date.now() / 1000) ? settlement : {kind: 'unknown', sent};
    const isUsed = settlement.kind === 'refused' && settlement.reason === USED;
    return isUsed && sent === undefined ? {kind: 'settled', receipt} : {kind: 'unknown', sent};
  }

  #putOffUntil(settling: Promise<Settlement>, claim: Claim): never {
    this.#write(claim, {kind: 'late'});
    void settling.then(settlement => {
      this.#close(claim, settlement);
    });
    return putOff('unknown');
  }

  #close(claim: Claim, settlement: Settlement): void {
    if (settlement.kind === 'settled') this.#write(claim, {kind: 'owed', receipt: settlement.receipt});
    else if (settlement.kind === 'unknown') this.#write(claim, settlement);
    else this.#till.ledger.forget(claim);
  }

  #spend(claim: Claim, receipt: SettleResponse): SettleResponse {
    this.#write(claim, {kind: 'spent', receipt});
    return receipt;
  }

  #write(claim: Claim, state: Entry['state']): void {
    this.#till.ledger.write(claim, this.#offer.rule.path, state);
  }

  /** Only the signed part is the buyer's: a facilitator catalogues what it is sent, and that is for us to say. */
  #payloadOf({payload}: Claim, accepted: PaymentRequirements): PaymentPayload {
    const {resource, extensions} = this.#offer.required;
    return {x402Version: 2, resource, accepted, payload: {...payload}, ...(extensions && {extensions})};
  }
}

/** The transactions that a facilitator has named in several tries; nothing where an answer of it was lost. */
function sentInAll(...tries: readonly (Settlement | State)[]): string[] | undefined {
  const named = tries.map(outcome => (outcome.kind === 'unknown' ? outcome.sent : []));
  const known = named.filter(each => each !== undefined);
  return known.length < named.length ? undefined : [...new Set(known.flat().map(hash => hash.toLowerCase()))];
}

function failed(claim: Claim, {network}: PaymentRequirements, errorReason: string): SettleResponse {
  return {success: false, errorReason, transaction: '', network, payer: claim.payload.authorization.from};
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>(resolve => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

/** The one error that `@x402/hono` passes on without logging it: an answer with status 502 that names the delay. */
function putOff(reason: Delay): never {
  throw new FacilitatorResponseError(reason);
}
