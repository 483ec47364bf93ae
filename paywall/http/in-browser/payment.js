// Payments of x402 (version 2, scheme `exact`, EIP-3009): creates and sends them.
import {terms} from './page.js';

/**
 * Returns the authorization of a transfer, and its typed data to sign (EIP-712). It is valid for as long as the terms require, or with
 * `isProof` never: then it collects what was paid before, and cannot be charged.
 *
 * @param {Way} way
 * @param {string} from
 * @param {boolean} isProof
 */
export function authorizationOf({accepted, chainId}, from, isProof) {
  const {payTo: to, amount: value, asset: verifyingContract, maxTimeoutSeconds, extra} = accepted;
  const validBefore = String(Math.floor(Date.now() / 1000) + maxTimeoutSeconds);
  const message = {from, to, value, validAfter: isProof ? validBefore : '0', validBefore, nonce: `0x${randomHex(32)}`};
  const typesOf = (/** @type {string[]} */ ...members) =>
    members.map(member => {
      const [type, name] = member.split(' ');
      return {name, type};
    });
  const types = {
    EIP712Domain: typesOf('string name', 'string version', 'uint256 chainId', 'address verifyingContract'),
    TransferWithAuthorization: typesOf(
      'address from',
      'address to',
      'uint256 value',
      'uint256 validAfter',
      'uint256 validBefore',
      'bytes32 nonce',
    ),
  };
  const domain = {name: extra.name, version: extra.version, chainId, verifyingContract};
  return {message, typed: {types, domain, primaryType: 'TransferWithAuthorization', message}};
}

/**
 * Returns a payment with a random idempotency key, so that it can be sent again.
 * @type {(way: Way, authorization: {from: string, nonce: string}, signature: string) => Payment}
 */
export function paymentOf(way, authorization, signature) {
  const header = {
    x402Version: 2,
    resource: {url: terms.url},
    accepted: way.accepted,
    payload: {signature, authorization},
    extensions: {
      snapshot: {info: terms.snapshot},
      'payment-identifier': {info: {required: false, id: `pay_${randomHex(16)}`}},
    },
  };
  const {from: payer, nonce} = authorization;
  return {header: encoded(header), way, payer, nonce};
}

/** Requests the document with a payment. Returns undefined if the answer is missing or incomplete: the payment may have been charged. */
export async function send(/** @type {Payment} */ {header}) {
  try {
    // `no-store`, because with the cache a reload of the page would wait for this answer.
    const answer = await fetch(location.pathname, {
      redirect: 'error',
      cache: 'no-store',
      headers: {'PAYMENT-SIGNATURE': header},
    });
    const {status, headers} = answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const {transaction, extensions} = decoded(headers.get('PAYMENT-RESPONSE')) ?? {};
    return {
      status,
      bytes,
      transaction: /^0x[0-9a-f]{64}$/.test(transaction) ? transaction : undefined,
      receipt: extensions?.['offer-receipt']?.info?.receipt,
      reason: String(decoded(headers.get('PAYMENT-REQUIRED'))?.error ?? `answer ${status}`).slice(0, 200),
      retryAfter: headers.get('Retry-After'),
    };
  } catch {
    return undefined;
  }
}

export async function sha256(/** @type {Uint8Array<ArrayBuffer>} */ bytes) {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

const randomHex = (/** @type {number} */ length) => hexOf(crypto.getRandomValues(new Uint8Array(length)));

/** @param {Uint8Array} bytes */
function hexOf(bytes) {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Encodes a header of x402: base64 of JSON in UTF-8. */
const encoded = (/** @type {object} */ json) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(json))));

/** @param {string | null} header */
function decoded(header) {
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header ?? ''), unit => unit.charCodeAt(0))));
  } catch {
    return undefined; // not a valid x402 header
  }
}
