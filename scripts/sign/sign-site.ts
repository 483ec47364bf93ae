import {mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {makeFolders} from '../../shared/make-folders.ts';
import {buildCommand} from '../../shared/command-line.ts';
import {signDetached, MOST_SIGNATURE_BYTES} from '../../shared/detached-signature.ts';
import {InputError} from '../../shared/fault.ts';
import {CATALOGUE_FILE, SIGNATURE_FILE, WORK} from '../../shared/paths.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import {onDisk} from '../freeze/disk.ts';
import {readKeyed, signingOf} from './site-keys.ts';
import {readBounded, textIfThere} from '../../buyer/verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {isObject, readObject} from '../../buyer/verify/untrusted-json.ts';

/**
 * Signs the built catalogue with the key of the site. In the result, `changed` is false if the signature already existed. Throws `InputError`
 * if the key is not the site's, or if the catalogue does not match `data/site.json`.
 *
 * @param write false to check only whether the signature would change
 */
export async function signSite(root: string, key: SigningKey, {write = true} = {}) {
  const site = await readKeyed(root);
  const {kid, x} = signingOf(site, key);
  const catalogue = await readBounded(join(root, CATALOGUE_FILE), MAX_SITE_BYTES);
  const {base_url, signing} = readObject(CATALOGUE_FILE, catalogue);
  if (base_url !== site.base_url || !isObject(signing) || signing['kid'] !== kid || signing['x'] !== x) {
    const fix = `Run \`${buildCommand(root)}\`.`;
    throw new InputError({code: 'FZ404', file: CATALOGUE_FILE, rule: 'does not match data/site.json', fix});
  }
  const signature = await signDetached(catalogue, key);
  const file = join(root, SIGNATURE_FILE);
  const changed = (await textIfThere(file, MOST_SIGNATURE_BYTES).catch(() => undefined)) !== signature;
  if (changed && write) await onDisk(SIGNATURE_FILE, 'written', () => replace(root, signature));
  return {file: SIGNATURE_FILE, kid, changed};
}

/** Replaces the signature in one step, so that a running gate reads the old or the new one. An interruption leaves no file in `public/`. */
async function replace(root: string, text: string): Promise<void> {
  makeFolders(join(root, WORK));
  const folder = await mkdtemp(join(root, WORK, 'sign-'));
  try {
    await writeFile(join(folder, 'signature'), text);
    await rename(join(folder, 'signature'), join(root, SIGNATURE_FILE));
  } finally {
    await rm(folder, {recursive: true});
  }
}
