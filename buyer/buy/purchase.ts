import {setTimeout as sleep} from 'node:timers/promises';
import {InputError} from '../../shared/fault.ts';
import {today} from '../../shared/today.ts';
import type {Examiner} from '../verify/examiner.ts';
import {confirmationOf} from './confirmation.ts';
import {dealOf, differing, repeatedOf, type Consent} from './consent.ts';
import {onDisk} from './disk.ts';
import {fateOf, type Fate} from './fate.ts';
import {documentFaults, offerOf, refuseWithoutSchema, type Offer} from './offer.ts';
import {isOpen, type Payment} from './payments.ts';
import {send, type Outcome} from './send.ts';
import {redownload, redownloadFormer} from './redownload.ts';
import {keep, keepAside, type Kept} from './owned.ts';
import {signPayment, signProof, type Purse} from './sign.ts';

/** What a purchase needs beside its offer. */
export interface Counter extends Purse {
  readonly folder: string;
  readonly examiner: Examiner;
  /** A node of the chain, where there is one. */
  readonly rpcUrl: string | undefined;
  /** The consent of the buyer to the terms of an offer. Throws if the buyer does not agree. */
  readonly agree: (offer: Offer) => Promise<Consent>;
}

/** How a gate refuses an authorization that it has never heard of, once it is over. */
const NEVER_HEARD = 'invalid_exact_evm_payload_authorization_valid_before';

/**
 * Buys a document that is not here, and pays for it once: a purchase that was cut off is taken up again, and what the wallet has bought
 * elsewhere is downloaded again. Throws `InputError` where there is no document, and says whether anything may have been paid.
 */
export async function purchase(offer: Offer, counter: Counter): Promise<Kept> {
  const {site, document} = offer;
  const former = counter.payments.openOf(site.origin, document.name);
  const elsewhere = counter.payments.all.find(
    one => isOpen(one) && one !== former && one.sha256 === document.listed.sha256,
  );
  if (elsewhere)
    throw new InputError({
      file: offer.file,
      rule: `is being bought as ${elsewhere.name} of ${elsewhere.site}: go on there`,
    });
  const here = await (former ? resume(offer, former, counter) : redownload(offer, counter));
  if (here) return here;
  await refuseWithoutSchema(offer, counter.examiner);
  const payment = await signPayment(offer, await counter.agree(offer), counter);
  const outcome = await send(offer, payment.header);
  if (outcome.kind === 'document') return take(offer, payment, outcome, counter);
  throw refused(offer, payment, outcome);
}

/**
 * Asks for the document of a payment that was cut off: first with the same payment, which is charged once however often it is sent, then
 * by signing in, last with a proof, which is never charged. Returns nothing where the former payment is over and has bought nothing of
 * this document.
 */
async function resume(offer: Offer, former: Payment, counter: Counter): Promise<Kept | undefined> {
  const {site, file, document} = offer;
  const {network} = offer.terms.requirements;
  if (former.payer !== counter.wallet.address)
    throw new InputError({file, rule: `is being bought by ${former.payer}: go on with the key of that address`});
  const isSame = former.sha256 === document.listed.sha256;
  const outcome: Outcome =
    isSame && former.header !== undefined
      ? await send(offer, former.header)
      : {kind: 'refused', reason: 'other document'};
  if (outcome.kind === 'document') return take(offer, former, outcome, counter);
  if (outcome.kind === 'unknown') throw refused(offer, former, outcome);
  // A challenge is signed once: this one asks for one of its own.
  if (!isSame && (await redownloadFormer(await offerOf(site, document.name, network), former, counter))) {
    await counter.payments.move(former, 'closed');
    return redownload(offer, counter);
  }
  const again = await redownload(offer, counter);
  if (again) {
    await counter.payments.move(former, 'closed');
    return again;
  }

  const fate = counter.rpcUrl === undefined ? guess(former, offer) : await fateOf(former, counter.rpcUrl);
  if (fate.kind === 'void') {
    await counter.payments.move(former, 'unused');
    return undefined;
  }
  if (isSame && fate.kind === 'alive') throw refused(offer, former, outcome);
  const owed = former.state === 'aside' ? undefined : await collect(offer, former, counter);
  if (owed) return owed;
  if (fate.kind === 'alive') throw refused(offer, former, outcome);
  const isUnpaid = fate.kind === 'over' && outcome.reason === NEVER_HEARD;
  if (isSame && !isUnpaid) throw notOwed(offer, former, fate);
  await counter.payments.move(former, 'closed');
  return undefined;
}

/** What can be said without a node of the chain: whether an authorization is over by both clocks, ours and that of the site. */
function guess({validBefore}: Payment, {terms}: Offer): Fate | {readonly kind: 'over'} {
  const now = Date.now() + Math.min(0, terms.ahead);
  return {kind: now / 1000 > validBefore ? 'over' : 'alive'};
}

/** Proofs for one product in a day. A gate that lies could settle each, and each counts against the budget. */
const MOST_PROOFS = 3;

/**
 * Collects with a proof what the gate owes. A proof of other terms than those of the former payment needs consent, like a payment. The proof
 * has expired when this resolves.
 */
async function collect(offer: Offer, former: Payment, counter: Counter): Promise<Kept | undefined> {
  const {site, name} = former;
  const isAsked = ({kind, signedAt, ...one}: Payment) =>
    kind === 'proof' && one.site === site && one.name === name && signedAt >= today();
  if (counter.payments.all.filter(isAsked).length >= MOST_PROOFS) return undefined;
  const isRepeated = differing(repeatedOf(former), dealOf(offer)).length === 0;
  const consent = isRepeated ? ({kind: 'former payment', payment: former} as const) : await counter.agree(offer);
  const proof = await signProof(offer, consent, counter);
  const outcome = await send(offer, proof.header);
  if (outcome.kind === 'document') return take(offer, former, outcome, counter);
  await sleep(Math.max(0, proof.validBefore * 1000 - (Date.now() + Math.min(0, offer.terms.ahead))));
  return undefined;
}

/** Keeps what has arrived, where it is what was for sale; throws `InputError` where it is not, and keeps it aside. */
async function take(
  offer: Offer,
  payment: Payment,
  {answer, transaction, receipt}: Outcome & {kind: 'document'},
  {folder: root, payments, examiner}: Counter,
): Promise<Kept> {
  const {file} = offer;
  const faults = await documentFaults(offer, answer, examiner);
  const {network, asset, payer, payTo, amount} = payment;
  const known = {network, asset, payer, payTo, amount, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, offer, known);
  const settled = {transaction, confirmation};
  const put = faults.length === 0 ? keep : keepAside;
  const kept = await onDisk(root, () => put(root, offer, payment, answer.bytes, settled)).catch((cause: unknown) => {
    if (!(cause instanceof InputError)) throw cause;
    const rule =
      'was paid, and cannot be kept: run this again with the same folder within 24 hours, and it is not paid again';
    throw new InputError([...cause.faults, {file, rule}], {cause});
  });
  if (faults.length === 0) {
    await payments.move(payment, 'closed');
    return {kind: 'bought', folder: kept, transaction, unconfirmed: confirmation?.fault};
  }
  await payments.move(payment, 'aside');
  throw new InputError([
    ...faults.map(rule => ({file, rule: `was paid, and what came ${rule}`})),
    {file: kept, rule: 'holds what came. It is not paid again: ask the publisher, or run this again later'},
  ]);
}

function refused({file}: Offer, {validBefore}: Payment, {kind, reason}: Exclude<Outcome, {kind: 'document'}>) {
  const until = new Date(validBefore * 1000).toISOString();
  const rule =
    kind === 'refused'
      ? `was refused: ${reason}. Run this again: until ${until}, when it can be charged no more, the same payment is sent`
      : `${reason}. The payment may have gone through: run this again within 24 hours, and nothing is paid twice`;
  return new InputError({file, rule});
}

function notOwed(
  {file}: Offer,
  {nonce}: Payment,
  fate: Exclude<Awaited<ReturnType<typeof fateOf>>, {kind: 'void'}> | {kind: 'over'},
) {
  const rule =
    fate.kind === 'paid'
      ? `was paid by ${fate.transaction}, and is not handed out. It is not paid again: ask the publisher`
      : `is not handed out, and nobody here knows whether the authorization ${nonce} was charged: --rpc-url names a node of the chain`;
  return new InputError({file, rule});
}
