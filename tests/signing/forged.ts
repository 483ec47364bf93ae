import {createHmac, createPrivateKey, sign} from 'node:crypto';
import type {SigningKey} from '../../shared/signing-key.ts';

/** Signs with any header and without a library: concatenates text and bytes as RFC 7515 and RFC 7797 require. */
export function forged(key: SigningKey, header: object | string, bytes: Uint8Array, payload = ''): string {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const encoded = Buffer.from(text).toString('base64url');
  const input = Buffer.concat([Buffer.from(`${encoded}.`), payload ? Buffer.from(payload) : bytes]);
  return `${encoded}.${payload}.${sign(null, input, privateKeyOf(key)).toString('base64url')}`;
}

/** The same with an HMAC that uses the public key as its secret. */
export function hmacSigned({x}: SigningKey, header: object, bytes: Uint8Array): string {
  const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
  const input = Buffer.concat([Buffer.from(`${encoded}.`), bytes]);
  const digests = ['sha256', 'sha512'].map(hash =>
    createHmac(hash, Buffer.from(x, 'base64url')).update(input).digest(),
  );
  return `${encoded}..${(header as {alg: string}).alg === 'HS256' ? digests[0]?.toString('base64url') : digests[1]?.toString('base64url')}`;
}

function privateKeyOf({kty, crv, x, d}: SigningKey) {
  return createPrivateKey({key: {kty, crv, x, d}, format: 'jwk'});
}
