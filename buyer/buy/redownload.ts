import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import {z} from '@x402/core/schemas';
import type {Network} from '@x402/core/types';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {MAX_BYTES} from '../verify/bounds.ts';
import type {Examiner} from '../verify/examiner.ts';
import {readObject} from '../verify/untrusted-json.ts';
import {NoAnswer, type Answer} from './ask.ts';
import type {Wallet} from './authorize.ts';
import {confirmationOf} from './confirmation.ts';
import {dollarsOf} from './money.ts';
import {documentFaults, type Offer} from './offer.ts';
import type {Payment} from './payments.ts';
import {settledIn} from './send.ts';
import {keep, type Kept} from './owned.ts';
import {signIn} from './sign-in.ts';
import {unexpected} from './unexpected.ts';

/** It becomes a part of the name of a folder. */
const momentSchema = z.string().datetime({precision: 3});

/** Who asks, and where the document goes. */
interface Place {
  readonly wallet: Wallet;
  readonly folder: string;
  readonly examiner: Examiner;
}

/**
 * Downloads a document again that this wallet has bought before, on any machine: it signs the challenge of the site, which pays
 * nothing. Returns nothing where the wallet has not bought it, or the site does not offer that. Throws `InputError` where nobody
 * knows: it must not be paid twice.
 */
export async function redownload(offer: Offer, {wallet, folder, examiner}: Place): Promise<Kept | undefined> {
  const {file, terms} = offer;
  const header = await signIn(offer, wallet);
  if (header === undefined) return undefined;
  const answer = await askAgain(offer, {[SIGN_IN_WITH_X]: header});
  if (answer.status === 402) return undefined;
  const faults = answer.status === 200 ? await documentFaults(offer, answer, examiner) : [unexpected(answer, file)];
  if (faults.length > 0)
    throw new InputError(faults.map(rule => ({file, rule: `${rule}. Nothing was paid now: run this again later`})));
  const {network, asset, payTo} = terms.requirements;
  const {transaction, receipt} = settledIn(answer);
  const known = {network, payer: wallet.address, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, offer, known);
  // The price of that day is not known here.
  const sale = {network, asset, payTo, payer: wallet.address, amount: null, nonce: null};
  const kept = await keep(folder, offer, sale, answer.bytes, {transaction, confirmation});
  return {kind: 'again', folder: kept, transaction, unconfirmed: confirmation?.fault};
}

/**
 * Downloads the document of a payment whose answer was lost, and that the site has replaced since, where the site still has it. Returns
 * whether it is here now.
 */
export async function redownloadFormer(offer: Offer, former: Payment, {wallet, folder}: Place): Promise<boolean> {
  const header = await signIn(offer, wallet);
  if (header === undefined) return false;
  const answer = await askAgain(offer, {[SIGN_IN_WITH_X]: header, [SHA256_HEADER]: former.sha256});
  if (answer.status !== 200 || sha256(answer.bytes) !== former.sha256) return false;
  const then = offerThen(offer, former, answer.bytes);
  if (!then) return false;
  const {network, payer} = former;
  const {transaction, receipt} = settledIn(answer);
  const known = {network, payer, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, then, known);
  await keep(folder, then, former, answer.bytes, {transaction, confirmation});
  return true;
}

/** The offer that was accepted by a payment of former days; its document is no JSON of a site where there is none. */
function offerThen(
  offer: Offer,
  {sha256, as_of: then, amount, network, asset, payTo}: Payment,
  bytes: Uint8Array,
): Offer | undefined {
  const {entry, document, terms, file} = offer;
  const isJson = document.edition === undefined || document.edition.format === 'json';
  const as_of = then ?? (isJson ? momentSchema.safeParse(readObject(file, bytes)['as_of']).data : undefined);
  if (as_of === undefined) return undefined;
  const listed = {...document.listed, sha256, bytes: bytes.length};
  const requirements = {...terms.requirements, network: network as Network, asset, payTo, amount};
  return {
    ...offer,
    entry: {...entry, as_of, price: dollarsOf(Number(amount))},
    document: {...document, listed},
    terms: {...terms, requirements, signed: undefined},
  };
}

async function askAgain(
  {site, document: {path}, file}: Offer,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return site.ask(path, {headers, maxBytes: MAX_BYTES}).catch((cause: unknown) => {
    if (cause instanceof NoAnswer)
      throw new InputError({file, rule: `${cause.message}. Nothing was paid now`}, {cause});
    throw cause;
  });
}
