import type {SettleResponse} from '@x402/core/types';
import type {NewSale, Sale} from '../ledger/sale.ts';
import {isOverAt, type Finding} from './chain.ts';
import type {Settlement} from './facilitator.ts';
import type {Hand} from './hand.ts';
import type {Offer} from './offer.ts';
import {payloadOf, receiptOf, termsOf} from './terms.ts';
import {sleep, within, type Till} from './till.ts';

/** What came of a sale. It is in the books, and only where it is settled the sale is still in hand. */
export type Outcome =
  | {readonly kind: 'settled'; readonly receipt: SettleResponse}
  /** No money has moved, and none will. */
  | {readonly kind: 'refused' | 'unpaid'; readonly reason: string}
  /** The facilitator was not reached: no money has moved. */
  | {readonly kind: 'unavailable'}
  /** It can be settled no more, and nobody can say whether it was. */
  | {readonly kind: 'unclear'}
  /** It is let go as it was. */
  | {readonly kind: 'unknown'};

export const USED = 'invalid_exact_evm_nonce_already_used';
const LOOK_EVERY_MS = 500;
const UNKNOWN = {kind: 'unknown'} as const;

/** Settles a sale that was just claimed. */
export async function settle(hand: Hand, offer: Offer, till: Till): Promise<Outcome> {
  const settlement = await askToSettle(hand, [], offer, till);
  if (settlement.kind === 'settled') return settled(hand, settlement.receipt, till);
  if (settlement.kind !== 'unknown') return closed(hand, settlement);
  const named = settlement.sent ?? null;
  // A transaction that was sent is mined within seconds, which only a node of the chain shows.
  for (const end = till.clock() + till.patienceMs; ; await sleep(LOOK_EVERY_MS)) {
    const found = await byChain(hand, named, till);
    if (found) return found;
    if (!till.chain || !named?.length || till.clock() > end) return letGo(hand, named);
  }
}

/**
 * Finds out what became of a sale whose outcome nobody knows, and settles it again where it never was. The chain decides
 * where a node of it is known. Without one there is the facilitator's word: success is proof, a used nonce only where an
 * answer of it was lost, which no payer can bring about.
 */
export async function settleAgain(hand: Hand<Sale>, offer: Offer, till: Till): Promise<Outcome> {
  const {sale} = hand;
  const finding = await till.chain?.find(sale, sale.claimedAt, sale.named);
  const found = await outcomeOf(finding, hand, sale.named, till);
  if (found) return found;
  // Until this answer has come, one is missing.
  await hand.moveAndKeep({to: 'claimed', named: null});
  const settlement = await askToSettle(hand, sale.named, offer, till);
  if (settlement.kind === 'settled') return settled(hand, settlement.receipt, till);
  const named = settlement.kind === 'unknown' ? namedInAll(sale.named, settlement.sent) : sale.named;
  if (finding) return (await byChain(hand, named, till)) ?? letGo(hand, named);
  const isUsed = settlement.kind === 'refused' && settlement.reason === USED;
  if (isUsed && !named) return settled(hand, receiptOf(sale, ''), till);
  return isOverAt(till.clock(), sale) ? closed(hand, {kind: 'unclear'}) : letGo(hand, named);
}

/**
 * Waits for an outcome as long as a buyer does. One that is known later is in the books as well, and whoever asks next collects
 * what is owed. Where the books cannot be written, the sale stays as it was, and lets itself go.
 */
export async function inTime(settling: Promise<Outcome>, hand: Hand, till: Till): Promise<Outcome> {
  const outcome = settling.catch(() => {
    hand.drop();
    return UNKNOWN;
  });
  till.keepAlive(outcome);
  const known = await within(till.patienceMs, outcome);
  if (known) return known;
  till.keepAlive(
    outcome.then(({kind}) => (kind === 'settled' ? hand.handedOut(false).catch(() => undefined) : undefined)),
  );
  return UNKNOWN;
}

/** What the chain says, where it decides. */
async function byChain(hand: Hand<NewSale & Partial<Sale>>, named: Named, till: Till): Promise<Outcome | undefined> {
  const {sale} = hand;
  return outcomeOf(await till.chain?.find(sale, sale.claimedAt ?? till.clock(), named), hand, named, till);
}

async function outcomeOf(
  finding: Finding | undefined,
  hand: Hand,
  named: Named,
  till: Till,
): Promise<Outcome | undefined> {
  const {sale} = hand;
  switch (finding?.kind) {
    case 'paid':
      return settled(hand, receiptOf(sale, finding.transaction), till);
    case 'used elsewhere':
      return closed(hand, {kind: 'unpaid', reason: USED});
    case 'unused':
      return isOverAt(finding.at, sale) ? closed(hand, {kind: 'unpaid', reason: 'never settled'}) : undefined;
    case 'no answer':
      return letGo(hand, named);
    case undefined:
      return undefined;
  }
}

/** Transactions that a facilitator has named; nothing where an answer of it is missing. */
type Named = Sale['named'];

/** Only the signed part is the buyer's: a facilitator catalogues what it is sent, and that is for us to say. */
function askToSettle(hand: Hand, before: Named, {required}: Offer, {facilitator}: Till): Promise<Settlement> {
  const {payload, requirements} = termsOf(hand.sale);
  let named = before;
  return facilitator.settle(payloadOf(payload, requirements, required), requirements, async transaction => {
    named = namedInAll(named, [transaction]);
    await hand.moveAndKeep({to: 'claimed', named});
  });
}

function namedInAll(before: Named, now: readonly string[] | undefined): Named {
  return before && now ? [...new Set([...before, ...now])] : null;
}

function settled(hand: Hand, receipt: SettleResponse, till: Till): Outcome {
  till.keepAlive(hand.settledBy(receipt.transaction));
  till.observer?.sold(hand.sale);
  return {kind: 'settled', receipt};
}

type Closed = Exclude<Outcome, {kind: 'settled' | 'unknown'}>;

async function closed(hand: Hand, outcome: Closed): Promise<Outcome> {
  await hand.moveAndLetGo(
    outcome.kind === 'unclear'
      ? {to: 'unclear'}
      : outcome.kind === 'unavailable'
        ? {to: 'refused', reason: 'unavailable'}
        : {to: outcome.kind, reason: outcome.reason},
  );
  return outcome;
}

async function letGo(hand: Hand, named: Named): Promise<Outcome> {
  await hand.moveAndLetGo({to: 'claimed', named});
  return UNKNOWN;
}
