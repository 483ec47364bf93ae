import type {PaymentRequirements, SettleResponse} from '@x402/core/types';
import {OPEN, type NewSale, type Sale} from '../ledger/sale.ts';
import type {Claim} from './claim.ts';
import {Hand} from './hand.ts';
import type {Offer} from './offer.ts';
import {boughtBy} from './ownership.ts';
import type {Signer} from './signature.ts';
import {inTime, settleAgain, USED} from './settle.ts';
import {isSamePayment, payloadOf, receiptOf} from './terms.ts';
import {hasArrived, IN_FLIGHT, isOwedNoMore, sleep, UNAVAILABLE, type Delay, type Till} from './till.ts';

/** A payment whose signature is not known to be forged, and the sale that it would begin. */
export interface Fresh {
  readonly claim: Claim;
  readonly requirements: PaymentRequirements;
  readonly signer: Exclude<Signer, 'nobody'>;
  readonly sale: NewSale;
  /** Whether it can still be settled. Otherwise it is answered only where it was settled before. */
  readonly isTimely: boolean;
}

/** What the payer of a claim is owed. */
export type Debt =
  /** The document, for the payment that the receipt names. The sale is in hand, unless it was delivered before. */
  | {readonly kind: 'owed'; readonly sale: NewSale; readonly hand?: Hand; readonly receipt: SettleResponse}
  | {readonly kind: 'nothing'}
  /** The authorization was shown before, or does not prove who asks. */
  | {readonly kind: 'refused'; readonly reason: string}
  /** Another payment has the name that the buyer gave this one. */
  | {readonly kind: 'conflict'}
  | {readonly kind: 'delayed'; readonly delay: Delay};

/** A sale that somebody else has in hand is looked at again after so many milliseconds, and later ever more seldom. */
const LOOK_AFTER_MS = 5;
const LOOK_AT_MOST_EVERY_MS = 1_000;

const UNKNOWN = {kind: 'delayed', delay: 'unknown'} as const;

/**
 * Finds out what the payer of a claim is owed: who paid for a document and did not get it collects with another
 * authorization for it, which is not settled, or with the same one where they have named it; a pass that holds for it is collected in
 * the same way. Where a sale of theirs is under way,
 * they wait for its outcome.
 */
export async function debtTo(fresh: Fresh, offer: Offer, till: Till): Promise<Debt> {
  const end = till.clock() + till.patienceMs;
  const debt = await look(fresh, offer, till);
  if (debt) return debt;
  const awaited = await till.waiting.run(fresh.sale.payer, async () => {
    for (let pause = LOOK_AFTER_MS; till.clock() < end; pause = Math.min(pause * 2, LOOK_AT_MOST_EVERY_MS)) {
      await sleep(pause);
      const debt = await look(fresh, offer, {...till, patienceMs: end - till.clock()}, true);
      if (debt) return debt;
    }
    return UNKNOWN;
  });
  return awaited ?? IN_FLIGHT;
}

/** What can be said at this moment; undefined where a sale is in the hand of somebody else, or was until now. */
async function look(fresh: Fresh, offer: Offer, till: Till, isProven = false): Promise<Debt | undefined> {
  const {same, open, namesake} = await till.ledger.find(fresh.sale.key, fresh.sale, fresh.sale.paymentId);
  if (namesake) return {kind: 'conflict'};
  if (same && isSamePayment(same, fresh.sale)) return repeated(same, offer, till);
  if (!fresh.isTimely) return {kind: 'nothing'};
  if (same?.paymentId && same.paymentId === fresh.sale.paymentId) return {kind: 'conflict'};
  if (same?.state === 'claimed') return IN_FLIGHT;
  if (same) return {kind: 'refused', reason: same.state === 'refused' ? (same.reason ?? USED) : USED};
  if (open) return (isProven ? undefined : await faultOf(fresh, offer, till)) ?? collected(open, offer, till);
  const pass = offer.pass && (await boughtBy(fresh.sale, offer.snapshot.sha256, offer, till));
  if (!pass) return {kind: 'nothing'};
  return (isProven ? undefined : await faultOf(fresh, offer, till)) ?? held(pass, till);
}

/** The document for the sale of a pass, which is in hand where it was not delivered yet; undefined where somebody else has it. */
async function held(pass: Sale, till: Till): Promise<Debt | undefined> {
  const owed = {kind: 'owed', sale: pass, receipt: receiptOf(pass, pass.transaction ?? '')} as const;
  if (pass.state === 'delivered') return owed;
  const hand = await Hand.take(till.ledger, pass.key, ['settled', 'lapsed']);
  return hand && {...owed, hand};
}

/**
 * A payment that its buyer has named is answered again as it was: nobody else knows the name, which is on no chain. Undefined while its
 * sale is in the hand of somebody else.
 */
async function repeated(sale: Sale, offer: Offer, till: Till): Promise<Debt | undefined> {
  if (OPEN.includes(sale.state)) return collected(sale, offer, till);
  if (sale.state !== 'delivered' || isOwedNoMore(sale)) return {kind: 'refused', reason: USED};
  if (sale.sha256 !== offer.snapshot.sha256) return {kind: 'refused', reason: 'document_changed'};
  return {kind: 'owed', sale, receipt: receiptOf(sale, sale.transaction ?? '')};
}

/** Why an authorization does not prove that its payer is asking: it is not theirs, or others can have read it on the chain. */
async function faultOf(
  {sale, claim, requirements, signer}: Fresh,
  offer: Offer,
  till: Till,
): Promise<Debt | undefined> {
  if (signer === 'ask') {
    const verdict = await till.facilitator.verify(payloadOf(claim.payload, requirements, offer.required), requirements);
    if (verdict.kind === 'unavailable') return UNAVAILABLE;
    if (verdict.kind === 'invalid') return {kind: 'refused', reason: verdict.reason};
  }
  const finding = await till.chain?.find(sale, till.clock());
  if (!finding || finding.kind === 'unused') return undefined;
  return finding.kind === 'no answer' ? UNAVAILABLE : {kind: 'refused', reason: USED};
}

/** Takes up an open sale; undefined where it is over, or in the hand of somebody else. */
async function collected(open: Sale, offer: Offer, till: Till): Promise<Debt | undefined> {
  const hand = open.heldUntil < open.readAt ? await Hand.take(till.ledger, open.key, OPEN) : undefined;
  if (!hand) return undefined;
  const {sale} = hand;
  if (sale.state === 'claimed') return settledLate(hand, offer, till);
  if (hasArrived(sale)) {
    await hand.moveAndLetGo({to: 'delivered'});
    return undefined;
  }
  if (isOwedNoMore(sale)) {
    await hand.moveAndLetGo({to: 'lapsed'});
    return undefined;
  }
  return {kind: 'owed', sale, hand, receipt: receiptOf(sale, sale.transaction ?? '')};
}

async function settledLate(hand: Hand<Sale>, offer: Offer, till: Till): Promise<Debt | undefined> {
  const outcome = await inTime(settleAgain(hand, offer, till), hand, till);
  if (outcome.kind === 'settled') return {kind: 'owed', sale: hand.sale, hand, receipt: outcome.receipt};
  return outcome.kind === 'unknown' ? UNKNOWN : undefined;
}
