import {createSIWxMessage, createSIWxPayload, encodeSIWxHeader, type EVMSigner} from '@x402/extensions/sign-in-with-x';
import {getAddress, type Address, type TypedDataDefinition} from 'viem';
import {InputError} from '../../shared/fault.ts';
import {differing, repeatedOf, type Consent, type Deal} from './consent.ts';
import type {Offer} from './offer.ts';
import {SIGN_IN_STATEMENT} from '../../shared/payment-protocol.ts';
import type {Terms} from './terms.ts';

/** The account that pays: its address and EIP-712 signatures. Accounts of viem match. */
export interface Account {
  readonly address: Address;
  /** EIP-191 signatures. With them, documents that were bought on another machine are downloaded again. */
  readonly signMessage?: (message: {message: string}) => Promise<`0x${string}`>;
  signTypedData(data: TypedDataDefinition): Promise<`0x${string}`>;
}

export type Draft =
  | {readonly kind: 'payment' | 'proof'; readonly offer: Offer; readonly data: TypedDataDefinition}
  | {readonly kind: 'sign-in'; readonly offer: Offer; readonly challenge: Challenge};

/** The wallet of a buyer. Its account is private, so that `authorize` is the only way to a signature. */
export class Wallet {
  /** With its checksum (EIP-55): payments are signed for that form, and the messages of a sign-in contain it. */
  readonly address: Address;
  readonly canSignIn: boolean;
  readonly #account: Account;

  /** Throws if the address of the account is invalid. */
  constructor(account: Account) {
    this.address = getAddress(account.address);
    this.canSignIn = account.signMessage !== undefined;
    this.#account = account;
  }

  /**
   * Creates all signatures of a buyer. Throws `InputError` unless the data matches the consent exactly: network, asset, payee, amount,
   * document and validity, or address and network of a sign-in.
   */
  async authorize(draft: Draft, consent: Consent): Promise<`0x${string}`> {
    const refused = (why: string) =>
      new InputError({code: 'FZ605', url: draft.offer.url, rule: `was not signed: the ${draft.kind} ${why}`});
    const fault = draft.kind === 'sign-in' ? signInFault(draft, consent) : this.#paymentFault(draft, consent);
    if (fault !== undefined) throw refused(fault);
    if (draft.kind !== 'sign-in') return this.#account.signTypedData(draft.data);
    if (!this.#account.signMessage) throw refused('needs a wallet that signs messages');
    return this.#account.signMessage({message: createSIWxMessage(draft.challenge, this.address)});
  }

  /** Compares the typed data itself, because the chain sees nothing else. */
  #paymentFault({kind, offer, data}: Draft & {kind: 'payment' | 'proof'}, consent: Consent): string | undefined {
    const {primaryType, domain, message} = data as TypedDataDefinition<Record<string, unknown>, string>;
    const {from, to, value, validAfter, validBefore} = message;
    if (primaryType !== 'TransferWithAuthorization' || from !== this.address)
      return 'is not a transfer from this wallet';
    const found: Record<keyof Omit<Deal, 'seconds'>, unknown> = {
      ...{network: `eip155:${domain?.chainId}`, asset: domain?.verifyingContract, payTo: to, amount: String(value)},
      ...{sha256: offer.document.listed.sha256, as_of: offer.entry.as_of},
    };
    const isProof = kind === 'proof';
    let wanted: Partial<Deal>;
    let most = Number.POSITIVE_INFINITY;
    if (consent.kind === 'terms') {
      ({seconds: most, ...wanted} = consent.deal);
    } else if (consent.kind === 'former payment' && isProof) {
      wanted = repeatedOf(consent.payment);
    } else {
      return 'has no consent to its terms';
    }
    const changed = differing(wanted, found as Record<keyof Deal, unknown>);
    if (changed.length > 0) return `has another ${changed.join(', ')} than was agreed to`;
    if (isProof && Number(validAfter) < Number(validBefore)) return 'could be charged';
    const seconds = Number(validBefore) - Math.floor(Date.now() / 1000);
    // One second, because the clock moves between the draft and this check.
    return seconds <= most + 1 ? undefined : `is valid for ${seconds} seconds, longer than was agreed to`;
  }
}

function signInFault({challenge}: Draft & {kind: 'sign-in'}, consent: Consent): string | undefined {
  if (consent.kind !== 'address') return 'has no consent to its address';
  return challengeFault(challenge, consent);
}

/** A sign-in challenge, with the network for which it is signed. */
type Challenge = NonNullable<Terms['signIn']> & {readonly chainId: string; readonly type: 'eip191'};

/** Gates of this project send challenges that are valid for five minutes. An hour allows for different clocks. */
const MOST_MS = 3_600_000;

/** Returns the value of the header SIGN-IN-WITH-X, or undefined if the site has no challenge that this wallet can sign. */
export async function signIn({terms, url, ...offer}: Offer, wallet: Wallet): Promise<string | undefined> {
  if (!terms.signIn || !wallet.canSignIn) return undefined;
  const {network} = terms.requirements;
  const challenge: Challenge = {...terms.signIn, chainId: network, type: 'eip191'};
  const consent: Consent & {kind: 'address'} = {kind: 'address', url, network};
  if (challengeFault(challenge, consent) !== undefined || !isMessage(challenge, wallet)) return undefined;
  const signer: EVMSigner = {
    address: wallet.address,
    signMessage: () => wallet.authorize({kind: 'sign-in', offer: {...offer, terms, url}, challenge}, consent),
  };
  return encodeSIWxHeader(await createSIWxPayload(challenge, signer, url));
}

/** Returns why a challenge is not in the form that gates of this project send for an address, or undefined. */
function challengeFault(
  {uri, domain, chainId, statement, expirationTime}: Challenge,
  {url, network}: Consent & {kind: 'address'},
): string | undefined {
  if (uri !== url || domain !== new URL(url).host) return 'is for another address';
  if (chainId !== network) return 'is for another network';
  if (statement !== SIGN_IN_STATEMENT) return 'is not a sign-in';
  return Date.parse(expirationTime) <= Date.now() + MOST_MS ? undefined : 'is valid for too long';
}

/** True if the challenge is a valid message of EIP-4361. */
function isMessage(challenge: Challenge, {address}: Wallet): boolean {
  try {
    createSIWxMessage(challenge, address);
    return true;
  } catch {
    return false; // a member is malformed
  }
}
