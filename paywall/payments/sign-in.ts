import {parseSIWxHeader, validateSIWxMessage, type SIWxPayload} from '@x402/extensions/sign-in-with-x';
import {hashMessage, type Address, type Hex} from 'viem';
import {createSiweMessage} from 'viem/siwe';
import {SIGNATURE} from './claim.ts';
import type {Offer} from './offer.ts';
import {CLOCK_SLACK_MS, VALID_MS, type SignInTerms} from './sign-in-terms.ts';
import {isByKeyOf, isOfKey} from './signature.ts';
import type {Till} from './till.ts';

/** Who has signed in: the holder of an address on a network, once with this nonce. */
export interface SignIn {
  /** In lower case. */
  readonly payer: string;
  readonly network: string;
  readonly nonce: string;
}

const NONCE = /^[0-9a-f]{32}$/;

/**
 * Reads the header SIGN-IN-WITH-X (CAIP-122) sent for the document of an offer: who has signed it, or why it proves nobody, in the
 * words of x402. Rejects where the node of the chain does not say whether a contract wallet has signed.
 */
export async function readSignIn(
  header: string,
  offer: Offer,
  till: Till,
): Promise<SignIn | {readonly reason: string}> {
  const payload = parsed(header);
  if (!payload || !SIGNATURE.test(payload.signature)) return {reason: 'invalid_siwx_payload'};
  const {url, requirements, signIn} = offer;
  const {uri, chainId, nonce, signature} = payload;
  if (!signIn) return {reason: 'siwx_not_offered'};
  if (uri !== url) return {reason: 'invalid_siwx_uri_mismatch'};
  if (!requirements.some(({network}) => network === chainId)) return {reason: 'invalid_siwx_unsupported_chain'};
  if (!NONCE.test(nonce)) return {reason: 'invalid_siwx_nonce'};
  const validity = await validateSIWxMessage(payload, new URL(url), {maxAge: VALID_MS + CLOCK_SLACK_MS});
  if (!validity.isValid) return {reason: validity.invalidReason};
  const message = messageOf(payload, signIn);
  if (message === undefined) return {reason: 'invalid_siwx_payload'};
  const signed = {address: payload.address as Address, message, signature: signature as Hex};
  if (!isOfKey(signature) && !till.chain) return {reason: 'siwx_contract_wallet_not_supported'};
  const isSigned = isOfKey(signature)
    ? await isByKeyOf(signed.address, () => hashMessage(message, 'bytes'), signed.signature, till.recover)
    : await till.chain?.isSigned(chainId, signed);
  if (isSigned === undefined) throw new Error('the chain does not say who has signed');
  return isSigned
    ? {payer: payload.address.toLowerCase(), network: chainId, nonce}
    : {reason: 'invalid_siwx_signature'};
}

/** The text that was to be signed (EIP-4361): only what the challenge leaves open is taken from the header. */
function messageOf({address, chainId, nonce, issuedAt, expirationTime}: SIWxPayload, {info}: SignInTerms) {
  try {
    return createSiweMessage({
      ...info,
      address: address as Address,
      chainId: Number(chainId.split(':')[1]),
      nonce,
      issuedAt: new Date(issuedAt),
      expirationTime: new Date(expirationTime ?? ''),
    });
  } catch {
    return undefined; // an address or a moment that is none
  }
}

function parsed(header: string): SIWxPayload | undefined {
  try {
    return parseSIWxHeader(header);
  } catch {
    return undefined; // not base64 of JSON of such a shape
  }
}
