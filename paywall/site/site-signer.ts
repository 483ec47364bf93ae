import canonicalize from 'canonicalize';
import {CompactSign, importJWK} from 'jose';
import type {Rules} from '../../shared/shapes.ts';
import {ALGORITHM, keyUrl, type SigningKey} from '../../shared/signing-key.ts';
import {SiteError} from './site-error.ts';

/** Signs a value with the key of a site: returns a compact JWS (RFC 7515) over its canonical JSON (RFC 8785). Equal values give equal signatures. */
export type Sign = (value: object) => Promise<string>;

/** Returns the signer for the site of these rules. Throws `SiteError` if the site does not declare this signing key. */
export async function signerFor(
  {base_url, signing}: Pick<Rules, 'base_url' | 'signing'>,
  jwk: SigningKey,
): Promise<Sign> {
  const place = 'see signing in data/site.json';
  if (!signing)
    throw new SiteError('FZ208', `The signing key ${jwk.kid} is set, but the site does not declare one: ${place}.`);
  if (signing.kid !== jwk.kid || signing.x !== jwk.x)
    throw new SiteError('FZ208', `The signing key ${jwk.kid} is not the key of the site, ${signing.kid}: ${place}.`);
  const key = await importJWK({...jwk}, ALGORITHM);
  const header = {alg: ALGORITHM, kid: keyUrl(base_url, jwk.kid)};
  return value => new CompactSign(new TextEncoder().encode(canonicalize(value))).setProtectedHeader(header).sign(key);
}
