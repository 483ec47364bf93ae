import {encode} from '../../shared/encode.ts';
import {KEYS} from '../../shared/paths.ts';
import type {Signing} from '../../shared/public-key.ts';
import type {Page} from './page.ts';

/** The public keys of a signed site, for programs: as a JWK set and as a DID document. */
export default {
  ...KEYS.jwks,

  compose({base_url, signing}) {
    if (!signing) return [];
    return [
      {...KEYS.did, content: didDocument(base_url, signing)},
      {...KEYS.jwks, content: keySet(signing)},
    ];
  },
} satisfies Page;

/**
 * The keys of the site as a JWK set (RFC 7517), the current key first. The members for dates are `nbf` and `exp` of OpenID Federation. A
 * former key has its last signature, which signs the key after it.
 */
function keySet({former = [], ...current}: Signing): string {
  const keys = [current, ...former.toReversed()].map(({kid, x, since, ...ended}) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid,
    x,
    ...(since !== undefined && {nbf: secondsAt(since)}),
    // The key was still in use on its last day.
    ...('until' in ended && {exp: secondsAt(ended.until) + DAY_S}),
    ...('signed_next' in ended && {signed_next: ended.signed_next}),
  }));
  return encode({keys});
}

/** The keys as the document of `did:web:<host>`. Only the current key signs. Former keys verify earlier signatures. */
function didDocument(base_url: string, signing: Signing): string {
  const did = `did:web:${new URL(base_url).host.replace(':', '%3A')}`;
  const keys = [signing, ...(signing.former ?? []).toReversed()];
  return encode({
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    alsoKnownAs: [base_url],
    verificationMethod: keys.map(({kid, x}) => ({
      id: `${did}#${kid}`,
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: {kty: 'OKP', crv: 'Ed25519', x, kid},
    })),
    assertionMethod: [`${did}#${signing.kid}`],
  });
}

const DAY_S = 86_400;

function secondsAt(date: string): number {
  return Date.parse(date) / 1000;
}
