import {KEYS} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import type {Page} from './page.ts';

/**
 * The keys of the site, the one that signs now first, as a JWK set (RFC 7517). Their dates are members that OpenID Federation names; a
 * former key brings what it signed last, the key after it.
 */
export default {
  ...KEYS.jwks,

  compose({signing}) {
    if (!signing) return [];
    const {former = [], ...current} = signing;
    const keys = [current, ...former.toReversed()].map(({kid, x, since, ...ended}) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid,
      x,
      ...(since !== undefined && {nbf: secondsAt(since)}),
      ...('until' in ended && {exp: secondsAt(ended.until)}),
      ...('signed_next' in ended && {signed_next: ended.signed_next}),
    }));
    return [{path: KEYS.jwks.path, content: encode({keys})}];
  },
} satisfies Page;

function secondsAt(date: string): number {
  return Date.parse(date) / 1000;
}
