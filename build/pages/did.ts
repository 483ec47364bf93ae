import {KEYS} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import type {Page} from './page.ts';

/** The same keys as the document of `did:web:<host>`. Only the key of today signs; former ones are there for what they signed. */
export default {
  ...KEYS.did,

  compose({base_url, signing}) {
    if (!signing) return [];
    const did = `did:web:${new URL(base_url).host.replace(':', '%3A')}`;
    const keys = [signing, ...(signing.former ?? []).toReversed()];
    const content = encode({
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
    return [{path: KEYS.did.path, content}];
  },
} satisfies Page;
