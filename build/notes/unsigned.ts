import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {ifReadable} from '../../shared/if-readable.ts';
import {CATALOGUE_FILE, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';

/** A note where the catalogue that stands is not signed by the site's key: a build has no secret, so it cannot sign. */
export async function unsigned(root: string, key: PublicKey): Promise<string[]> {
  const {unsignedCatalogue} = await import('../../shared/detached-signature.ts');
  const read = (file: string) => ifReadable(() => readFileSync(join(root, file)));
  const catalogue = read(CATALOGUE_FILE);
  const fault = catalogue && (await unsignedCatalogue(read(SIGNATURE_FILE), catalogue, key));
  return fault === undefined ? [] : [fault];
}
