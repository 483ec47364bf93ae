import {parseSIWxHeader, validateSIWxMessage, type SIWxPayload} from '@x402/extensions/sign-in-with-x';
import {getAddress, hashMessage, hexToBytes, type Address, type Hex} from 'viem';
import {SIGNATURE} from '../protocol/payment.ts';
import type {Offer} from '../protocol/offer.ts';
import {CLOCK_SLACK_MS, VALID_MS, type SignInTerms} from '../protocol/sign-in-terms.ts';
import {isByKey, isKeyLength, type Recover} from '../chain/signature.ts';
import type {SignedDigest} from '../chain/contract-signature.ts';
import {USED_SIGN_IN} from '../retry.ts';
import type {PaymentServices} from '../services.ts';

/** A sign-in whose challenge is valid. `signInFault` checks its signature. */
export interface SignIn {
  /** In lower case. */
  readonly payer: string;
  readonly network: string;
  readonly nonce: string;
  readonly signed: SignedDigest;
}

const NONCE = /^[0-9a-f]{32}$/;

/**
 * Reads the header SIGN-IN-WITH-X (CAIP-122) of a request for a document. Returns a code of x402 if it does not answer a challenge for this
 * document.
 */
export async function readSignIn(
  header: string,
  {url, requirements, signIn}: Offer,
): Promise<SignIn | {readonly reason: string}> {
  const payload = parsed(header);
  if (!payload || !SIGNATURE.test(payload.signature)) return {reason: 'invalid_siwx_payload'};
  const {uri, chainId, nonce, signature} = payload;
  if (uri !== url) return {reason: 'invalid_siwx_uri_mismatch'};
  if (!requirements.some(({network}) => network === chainId)) return {reason: 'invalid_siwx_unsupported_chain'};
  if (!NONCE.test(nonce)) return {reason: 'invalid_siwx_nonce'};
  const validity = await validateSIWxMessage(payload, new URL(url), {maxAge: VALID_MS + CLOCK_SLACK_MS});
  if (!validity.isValid) return {reason: validity.invalidReason};
  const message = messageOf(payload, signIn);
  if (message === undefined) return {reason: 'invalid_siwx_payload'};
  return {
    payer: payload.address.toLowerCase(),
    network: chainId,
    nonce,
    signed: {address: payload.address as Address, signature: signature as Hex, hash: hashMessage(message)},
  };
}

/** True if the payer's key signed. Otherwise a contract may have signed. */
export function isSignInByKey({signed: {address, signature, hash}}: SignIn, recover: Recover): Promise<boolean> {
  return isByKey(address, () => hexToBytes(hash), signature, recover);
}

/**
 * Returns undefined if a sign-in proves the payer, otherwise a code of x402. Each challenge works once, so a header that another party
 * sees is worthless to it. A used one is not refused, because a client would then pay, although a proxy may have repeated its request.
 * Rejects if the node does not answer whether a contract wallet signed.
 */
export async function signInFault(
  signIn: SignIn,
  isByKey: boolean,
  services: Pick<PaymentServices, 'chain' | 'ledger'>,
): Promise<string | typeof USED_SIGN_IN | undefined> {
  const fault = isByKey ? undefined : await contractFault(signIn, services.chain);
  if (fault !== undefined) return fault;
  return (await services.ledger.signIn(signIn.payer, signIn.nonce)) ? undefined : USED_SIGN_IN;
}

async function contractFault({network, signed}: SignIn, chain: PaymentServices['chain']): Promise<string | undefined> {
  const isSigned = chain ? await chain.isSigned(network, signed) : 'no node';
  if (isSigned === 'no node')
    return isKeyLength(signed.signature) ? 'invalid_siwx_signature' : 'siwx_contract_wallet_not_supported';
  if (isSigned === undefined) throw new Error('the node does not answer whether the contract wallet signed');
  return isSigned ? undefined : 'invalid_siwx_signature';
}

/**
 * Returns the message that had to be signed (EIP-4361). Only the members that the challenge does not define come from the header. The
 * function of viem refuses hosts that wallets sign for, such as `data.xn--p1ai`, `gate:8402` and `[::1]`.
 */
function messageOf({address, chainId, nonce, issuedAt, expirationTime}: SIWxPayload, {info}: SignInTerms) {
  try {
    return `${info.domain} wants you to sign in with your Ethereum account:
${getAddress(address)}

${info.statement}

URI: ${info.uri}
Version: ${info.version}
Chain ID: ${chainId.split(':')[1]}
Nonce: ${nonce}
Issued At: ${new Date(issuedAt).toISOString()}
Expiration Time: ${new Date(expirationTime ?? '').toISOString()}`;
  } catch {
    return undefined; // an invalid address or time
  }
}

function parsed(header: string): SIWxPayload | undefined {
  try {
    return parseSIWxHeader(header);
  } catch {
    return undefined; // not base64 of JSON of the expected shape
  }
}
