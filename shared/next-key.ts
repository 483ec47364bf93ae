import {compactVerify, CompactSign, importJWK} from 'jose';
import {isKeyText, type PublicKey} from './public-key.ts';
import {ALGORITHM, thumbprintOf, verifyingKey, type SigningKey} from './signing-key.ts';

/** Distinguishes this signature from others of the same key (RFC 8725, section 3.11). */
const TYPE = 'next-key+jwk';

/** A key of a site with its signature over the next key, as in its JWKS. */
export interface LinkedKey extends PublicKey {
  readonly signed_next?: string | undefined;
}

/** Signs the public half of the next key with the current one: a compact JWS over a JWK. */
export async function signNext(key: SigningKey, {kid, x}: PublicKey): Promise<string> {
  const jwk = JSON.stringify({crv: 'Ed25519', kid, kty: 'OKP', x});
  return new CompactSign(new TextEncoder().encode(jwk))
    .setProtectedHeader({alg: ALGORITHM, kid: key.kid, typ: TYPE})
    .sign(await importJWK({...key}, ALGORITHM));
}

/** Returns the next key that a key has signed. Undefined without a valid signature. */
export async function nextKey({kid, x, signed_next}: LinkedKey): Promise<PublicKey | undefined> {
  if (signed_next === undefined) return undefined;
  try {
    const {payload, protectedHeader} = await compactVerify(signed_next, await verifyingKey({x}), {
      algorithms: [ALGORITHM],
    });
    if (protectedHeader.kid !== kid || protectedHeader.typ !== TYPE) return undefined;
    const next = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
    return await publicKeyIn(next);
  } catch {
    // An invalid signature counts as none.
    return undefined;
  }
}

/** Returns the public key in a JWK whose `kid` is its thumbprint. Undefined for anything else. */
export async function publicKeyIn({
  kty,
  crv,
  kid,
  x,
}: Readonly<Record<string, unknown>>): Promise<PublicKey | undefined> {
  if (kty !== 'OKP' || crv !== 'Ed25519' || !isKeyText(x)) return undefined;
  return kid === (await thumbprintOf(x)) ? {kid, x} : undefined;
}

/** True if the keys of a site lead from one to another, each signed by the previous one. */
export async function leadsTo(from: PublicKey, to: PublicKey, keys: readonly LinkedKey[]): Promise<boolean> {
  const known = new Map(keys.map(key => [key.kid, key]));
  let at: PublicKey = from;
  // Bounded, so that a cycle of keys ends.
  for (let steps = 0; steps <= keys.length; steps++) {
    if (at.kid === to.kid) return at.x === to.x;
    const next = await nextKey({kid: at.kid, x: at.x, signed_next: known.get(at.kid)?.signed_next});
    if (!next) return false;
    at = next;
  }
  return false;
}
