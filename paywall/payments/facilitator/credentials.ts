import {createPrivateKey, randomBytes} from 'node:crypto';
import {importJWK, SignJWT, type JWK} from 'jose';
import {isLoopback} from '../../../shared/loopback.ts';
import {SiteError} from '../../site/site-error.ts';

/** Variables that hold what a facilitator asks for; on Cloudflare they are secrets of the Worker. Empty is not set. */
export interface Keys {
  readonly CDP_API_KEY_ID?: string | undefined;
  readonly CDP_API_KEY_SECRET?: string | undefined;
  readonly FACILITATOR_TOKEN?: string | undefined;
}

/** The login that is sent to a facilitator with each request. */
export interface Credentials {
  /** The value of the header `Authorization` for one request, if there is one. */
  authorization(method: 'GET' | 'POST', url: string): Promise<string | undefined>;
  /** What to look at where the facilitator refuses them, as the end of a sentence. */
  readonly remedy: string;
}

/** The credentials for the facilitator at an address. Throws `SiteError` where they must not be sent there. */
export type CredentialsFor = (url: string) => Credentials;

type Key = Awaited<ReturnType<typeof importJWK>>;

const COINBASE = 'api.cdp.coinbase.com';
const LIFETIME_S = 120;
/** As RFC 6750 spells it, and so long that it stands in no answer by accident. */
const TOKEN = /^[\w.~+/-]{16,}=*$/;
const BASE64_OF_64_BYTES = /^[A-Za-z0-9+/]{86}==$/;
/** DER of a PKCS #8 key (RFC 8410) up to the 32 bytes of the seed. */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Asks as nobody in particular. */
export const noCredentials: CredentialsFor = url => {
  const names = new URL(url).host === COINBASE ? 'CDP_API_KEY_ID and CDP_API_KEY_SECRET' : 'FACILITATOR_TOKEN';
  return {authorization: () => Promise.resolve(undefined), remedy: `it asks for a key: set ${names}`};
};

/**
 * Reads keys once. Throws `SiteError`, which shows none of them, where they are no keys, or say too little or too much.
 *
 * @param namedUrl the facilitator of the environment: a token is sent to no other, whatever a build says
 */
export async function openCredentials(keys: Keys, namedUrl: string | undefined): Promise<CredentialsFor> {
  const {CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret, FACILITATOR_TOKEN: token} = keys;
  if (token && (id || secret))
    throw new SiteError('FACILITATOR_TOKEN is set beside a key of Coinbase (CDP_API_KEY_…): unset what is not used.');
  if (token) return ofToken(token, namedUrl);
  if (!id && !secret) return noCredentials;
  if (!id) throw new SiteError('CDP_API_KEY_SECRET is set without CDP_API_KEY_ID: set both or none.');
  if (!secret) throw new SiteError('CDP_API_KEY_ID is set without CDP_API_KEY_SECRET: set both or none.');
  if (!/^[\x21-\x7e]+$/.test(id)) throw new SiteError('CDP_API_KEY_ID is no name of a key: it has spaces in it.');
  return ofCoinbase(id, secret);
}

function ofToken(token: string, namedUrl: string | undefined): CredentialsFor {
  if (!TOKEN.test(token))
    throw new SiteError('FACILITATOR_TOKEN is no bearer token: it has spaces in it, or less than 16 characters.');
  if (namedUrl === undefined)
    throw new SiteError('FACILITATOR_TOKEN is set without FACILITATOR_URL, the only address that it is sent to.');
  return url => {
    const {host, protocol, hostname} = new URL(url);
    if (url !== namedUrl) throw new SiteError(`FACILITATOR_TOKEN is not for ${host}: see FACILITATOR_URL.`);
    if (protocol !== 'https:' && !isLoopback(hostname))
      throw new SiteError(
        `FACILITATOR_TOKEN is not sent to ${host} over http: FACILITATOR_URL has to begin with https:.`,
      );
    return {
      authorization: () => Promise.resolve(`Bearer ${token}`),
      remedy: 'it does not take the key: see FACILITATOR_TOKEN',
    };
  };
}

async function ofCoinbase(id: string, secret: string): Promise<CredentialsFor> {
  const {key, alg} = await keyIn(secret);
  return url => {
    const {host, protocol, hostname} = new URL(url);
    const isTheirs = protocol === 'https:' && host === COINBASE;
    if (!isTheirs && !isLoopback(hostname))
      throw new SiteError(
        `CDP_API_KEY_ID and CDP_API_KEY_SECRET are for https://${COINBASE} alone, and the facilitator is ${protocol}//${host}: unset them, or name Coinbase's.`,
      );
    return {
      authorization: async (method, asked) => `Bearer ${await tokenFor(method, new URL(asked), id, key, alg)}`,
      remedy: 'it does not take the key: see CDP_API_KEY_ID, CDP_API_KEY_SECRET and the clock of this machine',
    };
  };
}

/** A token for one request, as `generateJwt` of `@coinbase/cdp-sdk` 1.57.0 makes it. */
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
    return {key: await importJWK(jwk as JWK, alg), alg}; // Node's own type of the same is looser
  } catch {
    // The cause may show a part of the key.
    throw new SiteError(
      'CDP_API_KEY_SECRET is no key of Coinbase: that is base64 of 64 bytes (Ed25519), or PEM of an EC key on P-256.',
    );
  }
}

/** @param bytes the seed, and the public key that belongs to it */
function edwardsKey(bytes: Buffer) {
  const key = Buffer.concat([ED25519_HEAD, bytes.subarray(0, 32)]);
  const jwk = createPrivateKey({key, format: 'der', type: 'pkcs8'}).export({format: 'jwk'});
  if (jwk.x !== bytes.subarray(32).toString('base64url')) throw new Error('the halves do not belong together');
  return jwk;
}

/** @param pem PKCS #8 or SEC 1; its line ends may be written as `\n`, as in Coinbase's own file */
function curveKey(pem: string) {
  const jwk = createPrivateKey(pem.replaceAll(String.raw`\n`, '\n')).export({format: 'jwk'});
  if (jwk.crv !== 'P-256') throw new Error('it is on another curve');
  return jwk;
}
