import {createSIWxMessage, createSIWxPayload, encodeSIWxHeader, type EVMSigner} from '@x402/extensions/sign-in-with-x';
import {SIGN_IN_STATEMENT} from '../../shared/payment-protocol.ts';
import type {Wallet} from './authorize.ts';
import type {Consent} from './consent.ts';
import type {Offer} from './offer.ts';
import type {Terms} from './terms.ts';

/** A sign-in challenge, with the network for which it is signed. */
export type Challenge = NonNullable<Terms['signIn']> & {readonly chainId: string; readonly type: 'eip191'};

/** Gates of this project send challenges that are valid for five minutes. An hour allows for different clocks. */
const MOST_MS = 3_600_000;

/** Returns the value of the header SIGN-IN-WITH-X, or undefined if the site has no challenge that this wallet can sign. */
export async function signIn({terms, file, ...offer}: Offer, wallet: Wallet): Promise<string | undefined> {
  if (!terms.signIn || !wallet.canSignIn) return undefined;
  const {network} = terms.requirements;
  const challenge: Challenge = {...terms.signIn, chainId: network, type: 'eip191'};
  const consent: Consent & {kind: 'address'} = {kind: 'address', url: file, network};
  if (challengeFault(challenge, consent) !== undefined || !isMessage(challenge, wallet)) return undefined;
  const signer: EVMSigner = {
    address: wallet.address,
    signMessage: () => wallet.authorize({kind: 'sign-in', offer: {...offer, terms, file}, challenge}, consent),
  };
  return encodeSIWxHeader(await createSIWxPayload(challenge, signer, file));
}

/** Returns why a challenge is not in the form that gates of this project send for an address, or undefined. */
export function challengeFault(
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
