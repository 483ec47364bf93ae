import type {Debtor} from '../ledger/ledger.ts';
import type {Sale} from '../ledger/sale.ts';
import {Hand} from './hand.ts';
import type {Offer} from './offer.ts';
import {readSignIn} from './sign-in.ts';
import {IN_FLIGHT, type Delay, type Till} from './till.ts';

/** What a request to download a document again comes to. */
export type Ownership =
  /** The document is the payer's. A sale whose document has not arrived yet is in hand. */
  | {readonly kind: 'owner'; readonly sale: Sale; readonly hand: Hand | undefined}
  | {readonly kind: 'refused'; readonly reason: string}
  | {readonly kind: 'delayed'; readonly delay: Delay};

/**
 * Finds out whether who signs in has paid for the document of an offer that has this digest. Each challenge opens it once: a header
 * that somebody else gets to see opens nothing. Rejects where ledger or chain do not say.
 */
export async function ownershipOf(header: string, sha256: string, offer: Offer, till: Till): Promise<Ownership> {
  const signIn = await readSignIn(header, offer, till);
  if ('reason' in signIn) return {kind: 'refused', ...signIn};
  const sale = await boughtBy(signIn, sha256, offer, till);
  if (!sale) return {kind: 'refused', reason: 'siwx_not_paid'};
  if (!(await till.ledger.signIn(signIn.payer, signIn.nonce))) return {kind: 'refused', reason: 'invalid_siwx_nonce'};
  if (sale.state === 'delivered') return {kind: 'owner', sale, hand: undefined};
  const hand = await Hand.take(till.ledger, sale.key, ['settled', 'lapsed']);
  return hand ? {kind: 'owner', sale, hand} : IN_FLIGHT;
}

/** The sale that makes the document of an offer its payer's: of these bytes, or of a pass that holds for what is for sale now. */
export function boughtBy(
  {network, payer}: Omit<Debtor, 'url'>,
  sha256: string,
  {url, snapshot, redownloadDays: days, pass}: Offer,
  {ledger}: Till,
): Promise<Sale | undefined> {
  const since = pass && sha256 === snapshot.sha256 ? startOf(pass) : undefined;
  return ledger.bought({network, payer, url}, {sha256, days, since});
}

/**
 * The first snapshot whose sales hold for what is for sale now. While the history is shorter than the pass, all do: what was sold before its
 * first moment, as where a younger product joined the bundle, has not ended.
 */
function startOf({next, as_of: [first, ...others]}: NonNullable<Offer['pass']>): string {
  return others.length < next ? '' : (first ?? '');
}
