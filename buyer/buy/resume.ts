import {InputError} from '../../shared/fault.ts';
import {EXPIRED, OTHER_TERMS} from '../../shared/payment-protocol.ts';
import {dealOf, differing, repeatedOf} from './consent.ts';
import {offerOf, type Offer} from './offer.ts';
import type {Bought} from './owned.ts';
import {isForSame, type Payment} from './payments.ts';
import {downloadBySignIn, downloadPreviousBySignIn} from './download-by-sign-in.ts';
import {send, type Outcome} from './send.ts';
import {signProof} from './sign.ts';
import {refusedPayment, takeDocument, type PurchaseContext} from './take-document.ts';
import {isOverAt, statusesOf} from '../../shared/evm/authorization-status.ts';
import {nodeAt} from '../../shared/evm/node.ts';
import {shownAddress} from '../../shared/shown-address.ts';

/** The state of an interrupted payment. */
type Status =
  /** It paid the payee. */
  | {readonly kind: 'paid'; readonly transaction: string}
  /** It was cancelled, paid another payee, or expired unused, so it cannot pay any more. */
  | {readonly kind: 'void'}
  /** It is unused and still valid. */
  | {readonly kind: 'alive'}
  /** It has expired, and without a node it is unknown whether it was charged. */
  | {readonly kind: 'expired'}
  /** It has expired, and the gate does not know it. */
  | {readonly kind: 'unknown to the gate'};

interface Step {
  /** True to collect the document with a proof, which is never charged. */
  readonly collects: boolean;
  /**
   * The next step without a document. `unused` and `close` end the payment, so that the document can be bought. `wait`: the payment may
   * still be charged. `report`: it may have been charged, so nothing more is paid.
   */
  readonly otherwise: 'unused' | 'close' | 'wait' | 'report';
}

const ENDED = {collects: true, otherwise: 'close'} as const;
const UNDELIVERED = {collects: true, otherwise: 'report'} as const;

/** The steps if neither the payment nor a sign-in returned the document, depending on whether the site still sells the same document. */
const STEPS: Readonly<Record<Status['kind'], Readonly<Record<'same' | 'other', Step>>>> = {
  void: {same: {collects: false, otherwise: 'unused'}, other: {collects: false, otherwise: 'unused'}},
  alive: {same: {collects: false, otherwise: 'wait'}, other: {collects: true, otherwise: 'wait'}},
  paid: {same: UNDELIVERED, other: ENDED},
  expired: {same: UNDELIVERED, other: ENDED},
  'unknown to the gate': {same: ENDED, other: ENDED},
};

/**
 * Requests the document of an interrupted payment: first with the same payment, which is charged at most once, then by signing in, then
 * with a proof, which is never charged. Returns undefined if the payment is over and did not buy this document.
 */
export async function resume(offer: Offer, former: Payment, context: PurchaseContext): Promise<Bought | undefined> {
  if (former.payer !== context.wallet.address)
    throw new InputError({
      code: 'FZ610',
      url: offer.url,
      rule: `is already being bought by ${former.payer}`,
      fix: 'Continue with the key of that address.',
    });
  const isSame = former.sha256 === offer.document.listed.sha256;
  const outcome: Outcome =
    isSame && former.header !== undefined
      ? await send(offer, former.header)
      : {kind: 'refused', reason: 'was replaced after its payment was interrupted', isUnexpected: true};
  if (outcome.kind === 'document') return takeDocument(offer, former, outcome, context);
  if (outcome.kind === 'unknown') throw refusedPayment(offer, former, outcome);
  const signedIn = await downloadAgain(offer, former, context);
  if (signedIn) return signedIn.saved;

  const status = await statusOf(offer, former, outcome, context);
  const {collects, otherwise} = STEPS[status.kind][isSame ? 'same' : 'other'];
  const collected = collects && former.state !== 'aside' ? await collect(offer, former, context) : undefined;
  if (collected) return collected;
  // If the gate recorded the delivery after the first sign-in and before the proof, neither of them found the sale.
  const signedInLate = collects && !isSame ? await downloadAgain(offer, former, context) : undefined;
  if (signedInLate) return signedInLate.saved;
  if (otherwise === 'wait') throw refusedPayment(offer, former, outcome);
  if (otherwise === 'report') throw notDelivered(offer, former, status);
  await context.payments.move(former, otherwise === 'unused' ? 'unused' : 'closed');
  return undefined;
}

/**
 * Signs in for the earlier document if the site now sells another one, then for the current one. Returns undefined if neither was bought.
 */
async function downloadAgain(
  offer: Offer,
  former: Payment,
  context: PurchaseContext,
): Promise<{readonly saved: Bought | undefined} | undefined> {
  const {site, document, terms} = offer;
  if (former.sha256 !== document.listed.sha256) {
    // A challenge can be used only once, so this requests a new one.
    const again = await offerOf(site, document.name, terms.requirements.network);
    if (await downloadPreviousBySignIn(again, former, context)) {
      await context.payments.move(former, 'closed');
      return {saved: await downloadBySignIn(offer, context)};
    }
  }
  const saved = await downloadBySignIn(offer, context);
  if (!saved) return undefined;
  await context.payments.move(former, 'closed');
  return {saved};
}

/** Gets the state from the node of the chain. Without a node, both clocks and the gate's answer decide. */
async function statusOf(
  {terms}: Offer,
  former: Payment,
  {reason}: Exclude<Outcome, {kind: 'document'}>,
  {rpcUrl, payments}: PurchaseContext,
): Promise<Status> {
  if (rpcUrl !== undefined) return chargeStatusOf(former, rpcUrl);
  const now = Date.now() + Math.min(0, terms.ahead);
  if (now / 1000 <= former.validBefore) return {kind: 'alive'};
  // The gate is trusted once for each document, because it could charge every payment and deny it.
  const isRepeated = payments.all.some(one => one.state === 'closed' && isForSame(one, former));
  // It has sent a document for a payment that is set aside, so it must have seen it.
  const isTrusted = !isRepeated && former.state !== 'aside';
  return {kind: reason === EXPIRED && isTrusted ? 'unknown to the gate' : 'expired'};
}

/**
 * Collects the document with a proof. If the terms differ from those of the payment, a proof needs consent, like a payment. Returns
 * undefined if the gate has nothing to deliver. Throws `InputError` if it did not check the proof.
 */
async function collect(offer: Offer, former: Payment, context: PurchaseContext): Promise<Bought | undefined> {
  const isRepeated = differing(repeatedOf(former), dealOf(offer)).length === 0;
  const consent = isRepeated ? ({kind: 'former payment', payment: former} as const) : await context.agree(offer);
  const outcome = await send(offer, await signProof(offer, consent, context.wallet));
  if (outcome.kind === 'document') return takeDocument(offer, former, outcome, context);
  if (!isChecked(outcome)) throw refusedPayment(offer, former, {...outcome, kind: 'unknown'});
  return undefined;
}

/** True if the gate looked for a document to deliver. Otherwise the buyer may still collect it, so nothing else is paid. */
function isChecked(outcome: Exclude<Outcome, {kind: 'document'}>): boolean {
  if (outcome.kind === 'unknown' || outcome.isUnexpected) return false;
  return !outcome.reason.startsWith(EXPIRED) && !Object.values<string>(OTHER_TERMS).includes(outcome.reason);
}

function notDelivered({url}: Offer, {nonce}: Payment, status: Status): InputError {
  const [rule, fix] =
    status.kind === 'paid'
      ? [`was paid by ${status.transaction}, and is not delivered. It is not paid again`, 'Ask the publisher.']
      : [
          `is not delivered, and it is not known whether the authorization ${nonce} was charged`,
          'Name a node of the chain with --rpc-url.',
        ];
  return new InputError({code: 'FZ605', url, rule, fix});
}

/** Gets the outcome of a payment from a node of the chain. Throws `InputError` if the node does not answer, or not conclusively. */
async function chargeStatusOf(payment: Payment, rpcUrl: string): Promise<Status> {
  const {network, payer, nonce, signedAt} = payment;
  const authorization = {...payment, payer: payer.toLowerCase(), nonce: nonce.toLowerCase()};
  const fault = (rule: string, cause?: unknown) =>
    new InputError({code: 'FZ503', url: shownAddress(rpcUrl, 'origin'), rule}, {cause});
  const unclear = 'gave no conclusive answer about a payment';
  try {
    const node = nodeAt(rpcUrl);
    if (`eip155:${await node.getChainId()}` !== network) throw fault(`is not a node of ${network}`);
    const [status] = await statusesOf(node, [authorization], Date.parse(signedAt));
    if (status?.kind === 'paid') return status;
    if (status?.kind === 'used elsewhere') return {kind: 'void'};
    if (status?.kind === 'unused') return {kind: isOverAt(status.at, payment) ? 'void' : 'alive'};
    throw fault(unclear);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw fault(unclear, cause);
  }
}
