import {createPrivateKey, randomBytes} from 'node:crypto';
import {importJWK, SignJWT, type JWK} from 'jose';
import {isLoopback} from '../../../shared/loopback.ts';
import {SiteError} from '../../site/site-error.ts';

/** Environment variables with the API keys of a facilitator. On Cloudflare they are secrets of the Worker. An empty variable counts as unset. */
export interface Keys {
  readonly CDP_API_KEY_ID?: string | undefined;
  readonly CDP_API_KEY_SECRET?: string | undefined;
  readonly FROZEN_FACILITATOR_TOKEN?: string | undefined;
}

/** The credentials that are sent to a facilitator with each request. */
export interface Credentials {
  /** Returns the header `Authorization` for one request, or undefined if no key is set. */
  authorization(method: 'GET' | 'POST', url: string): Promise<string | undefined>;
  /** The remedy if the facilitator refuses the credentials, as the end of a sentence. */
  readonly remedy: string;
}

/** Returns the credentials for the facilitator at a URL. Throws `SiteError` if they must not be sent there. */
export type CredentialsFor = (url: string) => Credentials;

type Key = Awaited<ReturnType<typeof importJWK>>;

const COINBASE = 'api.cdp.coinbase.com';
const LIFETIME_S = 120;
/** A bearer token of RFC 6750. It is long enough that no answer contains it by accident. */
const TOKEN = /^[\w.~+/-]{16,}=*$/;
const BASE64_OF_64_BYTES = /^[A-Za-z0-9+/]{86}==$/;
/** The DER encoding of a PKCS #8 Ed25519 key (RFC 8410) before the 32 bytes of its seed. */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Sends requests without an `Authorization` header. */
export const noCredentials: CredentialsFor = url => {
  const names = new URL(url).host === COINBASE ? 'CDP_API_KEY_ID and CDP_API_KEY_SECRET' : 'FROZEN_FACILITATOR_TOKEN';
  return {authorization: () => Promise.resolve(undefined), remedy: `it requires a key: set ${names}`};
};

/**
 * Parses the keys. Throws `SiteError`, which does not show them, if they are malformed, incomplete or contradictory.
 *
 * @param namedUrl the facilitator in the environment, the only one that receives a token: a build cannot name another one
 */
export async function openCredentials(keys: Keys, namedUrl: string | undefined): Promise<CredentialsFor> {
  const {CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret, FROZEN_FACILITATOR_TOKEN: token} = keys;
  if (token && (id || secret))
    throw new SiteError(
      'FZ501',
      'FROZEN_FACILITATOR_TOKEN and a key of Coinbase (CDP_API_KEY_…) are both set: unset one of them.',
    );
  if (token) return bearerCredentials(token, namedUrl);
  if (!id && !secret) return noCredentials;
  if (!id) throw new SiteError('FZ501', 'CDP_API_KEY_SECRET is set without CDP_API_KEY_ID: set both or none.');
  if (!secret) throw new SiteError('FZ501', 'CDP_API_KEY_ID is set without CDP_API_KEY_SECRET: set both or none.');
  if (!/^[\x21-\x7e]+$/.test(id))
    throw new SiteError('FZ501', 'CDP_API_KEY_ID is not the name of a key: expected printable ASCII without spaces.');
  return coinbaseCredentials(id, secret);
}

function bearerCredentials(token: string, namedUrl: string | undefined): CredentialsFor {
  if (!TOKEN.test(token))
    throw new SiteError(
      'FZ501',
      'FROZEN_FACILITATOR_TOKEN is not a bearer token: expected at least 16 letters, digits or "-._~+/", without spaces.',
    );
  if (namedUrl === undefined)
    throw new SiteError(
      'FZ501',
      'FROZEN_FACILITATOR_TOKEN is set without FROZEN_FACILITATOR_URL, the only URL to which it is sent.',
    );
  return url => {
    const {host, protocol, hostname} = new URL(url);
    if (url !== namedUrl)
      throw new SiteError('FZ501', `FROZEN_FACILITATOR_TOKEN is not for ${host}: see FROZEN_FACILITATOR_URL.`);
    if (protocol !== 'https:' && !isLoopback(hostname))
      throw new SiteError(
        'FZ501',
        `FROZEN_FACILITATOR_TOKEN is not sent to ${host} over http: FROZEN_FACILITATOR_URL must start with https:.`,
      );
    return {
      authorization: () => Promise.resolve(`Bearer ${token}`),
      remedy: 'it does not accept the key: see FROZEN_FACILITATOR_TOKEN',
    };
  };
}

async function coinbaseCredentials(id: string, secret: string): Promise<CredentialsFor> {
  const {key, alg} = await keyIn(secret);
  return url => {
    const {host, protocol, hostname} = new URL(url);
    const isCoinbase = protocol === 'https:' && host === COINBASE;
    if (!isCoinbase && !isLoopback(hostname))
      throw new SiteError(
        'FZ501',
        `CDP_API_KEY_ID and CDP_API_KEY_SECRET are only for https://${COINBASE}, but the facilitator is ${protocol}//${host}: unset them, or set FROZEN_FACILITATOR_URL to Coinbase's facilitator.`,
      );
    return {
      authorization: async (method, request) => `Bearer ${await tokenFor(method, new URL(request), id, key, alg)}`,
      remedy: 'it does not accept the key: see CDP_API_KEY_ID, CDP_API_KEY_SECRET and the clock of this machine',
    };
  };
}

/** Returns a token for one request, like `generateJwt` of `@coinbase/cdp-sdk` 1.57.0. */
function tokenFor(method: string, {host, pathname}: URL, id: string, key: Key, alg: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({sub: id, iss: 'cdp', uris: [`${method} ${host}${pathname}`]})
    .setProtectedHeader({alg, kid: id, typ: 'JWT', nonce: randomBytes(16).toString('hex')})
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_S)
    .sign(key);
}

async function keyIn(secret: string): Promise<{key: Key; alg: string}> {
  try {
    const isEdwards = BASE64_OF_64_BYTES.test(secret);
    const jwk = isEdwards ? edwardsKey(Buffer.from(secret, 'base64')) : curveKey(secret);
    const alg = isEdwards ? 'EdDSA' : 'ES256';
    return {key: await importJWK(jwk as JWK, alg), alg}; // Node's type for a JWK is looser than jose's
  } catch {
    // Without the cause, which may contain a part of the key.
    throw new SiteError(
      'FZ501',
      'CDP_API_KEY_SECRET is not a key of Coinbase: expected base64 of 64 bytes (Ed25519), or PEM of an EC key on P-256.',
    );
  }
}

/** @param bytes the seed, followed by the public key */
function edwardsKey(bytes: Buffer) {
  const key = Buffer.concat([ED25519_HEAD, bytes.subarray(0, 32)]);
  const jwk = createPrivateKey({key, format: 'der', type: 'pkcs8'}).export({format: 'jwk'});
  if (jwk.x !== bytes.subarray(32).toString('base64url')) throw new Error('the public key does not belong to the seed');
  return jwk;
}

/** @param pem PKCS #8 or SEC 1; a line end may be written as the two characters `\n`, as in the file from Coinbase */
function curveKey(pem: string) {
  const jwk = createPrivateKey(pem.replaceAll(String.raw`\n`, '\n')).export({format: 'jwk'});
  if (jwk.crv !== 'P-256') throw new Error('it is on another curve');
  return jwk;
}
