import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import type {Network} from '@x402/core/types';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {MAX_BYTES} from '../verify/bounds.ts';
import {NoAnswer, type Answer, unexpected} from './ask.ts';
import {signIn} from './authorize.ts';
import {confirmationOf} from './confirmation.ts';
import {dollarsOf} from './money.ts';
import {documentFaults, type Offer} from './offer.ts';
import type {Payment} from './payments.ts';
import {settledIn} from './send.ts';
import type {PurchaseContext} from './take-document.ts';
import {reasonIn} from './terms.ts';
import {saveDocument, type Sale, type Bought} from './owned.ts';

/**
 * Downloads a document that this wallet bought before, on any machine, by signing in to the site, which costs nothing. Returns undefined if
 * the wallet has not bought it, or if the site does not offer sign-in. Throws `InputError` if this is unclear, so that it is not paid
 * twice.
 */
export async function downloadBySignIn(
  offer: Offer,
  {wallet, folder, examiner}: PurchaseContext,
): Promise<Bought | undefined> {
  const {url, terms} = offer;
  const header = await signIn(offer, wallet);
  if (header === undefined) return undefined;
  const answer = await askAgain(offer, {[SIGN_IN_WITH_X]: header});
  if (answer.status === 402) return undefined;
  const faults = answer.status === 200 ? await documentFaults(offer, answer, examiner) : [unexpected(answer, url)];
  if (faults.length > 0) throw tryLater(url, faults);
  const {network, asset, payTo} = terms.requirements;
  // The price at the time of the purchase is unknown here.
  return save(folder, offer, {network, asset, payTo, payer: wallet.address, amount: null, nonce: null}, answer);
}

/**
 * Downloads the document of a payment whose answer was lost, if the site has replaced it since but still keeps it. Returns true if it was
 * saved. Throws `InputError` if the site cannot currently say whether it keeps it, so that no other document is paid in its place.
 */
export async function downloadPreviousBySignIn(
  offer: Offer,
  former: Payment,
  {wallet, folder}: PurchaseContext,
): Promise<boolean> {
  const header = await signIn(offer, wallet);
  if (header === undefined) return false;
  const answer = await askAgain(offer, {[SIGN_IN_WITH_X]: header, [SHA256_HEADER]: former.sha256});
  if (NOT_KEPT.includes(answer.status)) return false;
  if (answer.status !== 200) throw tryLater(offer.url, [unexpected(answer, offer.url)]);
  if (sha256(answer.bytes) !== former.sha256)
    throw tryLater(offer.url, ['answers 200 without the document that was paid for']);
  await save(folder, offerThen(offer, former, answer.bytes.length), former, answer);
  return true;
}

/** Saves a downloaded document with the site's confirmation of its sale. */
async function save(root: string, offer: Offer, sale: Sale, answer: Answer): Promise<Bought> {
  const {transaction, receipt} = settledIn(answer);
  const {network, payer} = sale;
  const known = {network, payer, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, offer, known);
  const folder = await saveDocument(root, offer, sale, answer.bytes, {transaction, confirmation});
  return {kind: 'again', folder, transaction, unconfirmed: confirmation?.fault};
}

/** Returns the offer of an earlier payment for a document of so many bytes. */
function offerThen(offer: Offer, {sha256, as_of, amount, network, asset, payTo}: Payment, bytes: number): Offer {
  const {entry, document, terms} = offer;
  const listed = {...document.listed, sha256, bytes};
  const requirements = {...terms.requirements, network: network as Network, asset, payTo, amount};
  return {
    ...offer,
    entry: {...entry, as_of, price: dollarsOf(Number(amount))},
    document: {...document, listed},
    terms: {...terms, requirements, signed: undefined},
  };
}

/** The gate has no sale of the document, or does not have its bytes any more. Another answer may be that of a proxy. */
const NOT_KEPT = [402, 410];

function tryLater(url: string, faults: readonly string[], cause?: InputError): InputError {
  const fix = 'Run the command again later.';
  const list = faults.map(rule => ({code: 'FZ602', url, rule: `${rule}. Nothing was paid now`, fix}) as const);
  return new InputError(list, {cause});
}

/** The prefix of the reasons for refusing an invalid sign-in. They do not show whether the document was bought. */
const INVALID = 'invalid_siwx_';

async function askAgain(
  {site, document: {path}, url}: Offer,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await site.ask(path, {headers, maxBytes: MAX_BYTES}).catch((cause: unknown) => {
    if (!(cause instanceof NoAnswer)) throw cause;
    const faults = cause.faults.map(({rule}) => rule);
    throw tryLater(url, faults, cause);
  });
  const reason = answer.status === 402 ? reasonIn(answer) : '';
  if (reason.startsWith(INVALID)) throw tryLater(url, [`refuses the sign-in (${reason})`]);
  return answer;
}
