import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {FlattenedSign, importJWK} from 'jose';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {fixtureSite, type FixtureOptions, type FixtureSite} from './fixture-site.ts';

/** A site that names a key, with a catalogue that is signed by it, and both halves of the key. */
export interface SignedSite extends FixtureSite {
  readonly key: SigningKey;
}

export async function signedSite(options: FixtureOptions = {}, key?: SigningKey): Promise<SignedSite> {
  const own = key ?? (await newSigningKey());
  const {kid, x} = own;
  const site = await fixtureSite({
    ...options,
    alter(site) {
      for (const file of [site.rules, site.catalogue]) Object.assign(file, {signing: {kid, x}});
      options.alter?.(site);
    },
  });
  await sign(join(site.root, 'public/api/v1/index.json'), own);
  return {...site, key: own};
}

/** Writes a compact JWS with detached content next to a file (RFC 7797). */
async function sign(file: string, key: SigningKey): Promise<void> {
  const signer = new FlattenedSign(await readFile(file));
  signer.setProtectedHeader({alg: 'EdDSA', b64: false, crit: ['b64'], kid: key.kid});
  const {protected: header = '', signature} = await signer.sign(await importJWK({...key}, 'EdDSA'));
  await writeFile(`${file}.jws`, `${header}..${signature}`);
}
