import {
  createSIWxMessage,
  createSIWxPayload,
  encodeSIWxHeader,
  SIGN_IN_WITH_X,
  type EVMSigner,
} from '@x402/extensions/sign-in-with-x';
import {InputError} from '../../shared/fault.ts';
import {MAX_BYTES} from '../verify/bounds.ts';
import type {Examiner} from '../verify/examiner.ts';
import {NoAnswer} from './ask.ts';
import {confirmationOf} from './confirmation.ts';
import {documentFaults, type Offer} from './offer.ts';
import {settledIn} from './send.ts';
import {keep, type Kept} from './shelf.ts';
import type {Account} from './sign.ts';

/** Who asks, and where the document goes. */
interface Place {
  readonly account: Account;
  readonly folder: string;
  readonly examiner: Examiner;
}

/**
 * Downloads a document again that this wallet has bought before, on any machine: it signs the challenge of the site, which pays
 * nothing. Returns nothing where the wallet has not bought it, or the site does not offer that. Throws `InputError` where nobody
 * knows: it must not be paid twice.
 */
export async function redownload(offer: Offer, {account, folder, examiner}: Place): Promise<Kept | undefined> {
  const {site, path, file, terms} = offer;
  const header = await signIn(offer, account);
  if (header === undefined) return undefined;
  const asking = site.ask(path, {headers: {[SIGN_IN_WITH_X]: header}, maxBytes: MAX_BYTES});
  const answer = await asking.catch((cause: unknown) => {
    if (cause instanceof NoAnswer)
      throw new InputError({file, rule: `${cause.message}. Nothing was paid now`}, {cause});
    throw cause;
  });
  if (answer.status === 402) return undefined;
  const faults =
    answer.status === 200 ? await documentFaults(offer, answer.bytes, examiner) : [`answers ${answer.status}`];
  if (faults.length > 0)
    throw new InputError(faults.map(rule => ({file, rule: `${rule}. Nothing was paid now: run this again later`})));
  const {network, asset, payTo} = terms.requirements;
  const {transaction, receipt} = settledIn(answer);
  const known = {network, payer: account.address, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, offer, known);
  // The price of that day is not known here.
  const sale = {network, asset, payTo, payer: account.address, amount: null, nonce: null};
  const kept = await keep(folder, offer, sale, answer.bytes, {transaction, confirmation});
  return {kind: 'again', folder: kept, transaction, unconfirmed: confirmation?.fault};
}

/** The header SIGN-IN-WITH-X for the challenge of an offer; nothing where there is none for this site, or none that can be signed. */
async function signIn({terms, file}: Offer, account: Account): Promise<string | undefined> {
  if (!terms.signIn || !account.signMessage) return undefined;
  const {domain, uri} = terms.signIn;
  if (uri !== file || domain !== new URL(file).host) return undefined;
  const challenge = {...terms.signIn, chainId: terms.requirements.network, type: 'eip191'} as const;
  try {
    createSIWxMessage(challenge, account.address);
  } catch {
    return undefined; // no text of EIP-4361 can be made of it
  }
  return encodeSIWxHeader(await createSIWxPayload(challenge, account as EVMSigner, file));
}
