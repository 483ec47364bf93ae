import {mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {makeFolders} from '../../shared/make-folders.ts';
import {buildCommand} from '../../shared/command-line.ts';
import {signDetached, MOST_SIGNATURE_BYTES} from '../../shared/detached-signature.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {CATALOGUE_FILE, SIGNATURE_FILE, WORK, SITE_FILE} from '../../shared/paths.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import {withFileErrors} from '../../shared/file-errors.ts';
import {readBounded, textIfThere} from '../../buyer/verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {isObject, readObject} from '../../buyer/verify/untrusted-json.ts';
import {readJsonText, validated} from '../../build/read/json-file.ts';
import {faultsOfSigning, signedSite, type SignedSite} from '../../build/read/site.ts';
import {compile} from '../../build/read/validator.ts';
import type {PublicKey, Signing} from '../../shared/public-key.ts';

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
  if (changed && write) await withFileErrors(SIGNATURE_FILE, 'written', () => replace(root, signature));
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

/** The keys in `data/site.json`, and its text. */
export type Keyed = Awaited<ReturnType<typeof readKeyed>>;

/** Reads the keys in `data/site.json`. Throws `InputError` if they are invalid. */
export async function readKeyed(root: string) {
  const json = readJsonText(root, SITE_FILE);
  const {base_url, signing} = validated(json, compile<SignedSite>(signedSite));
  refuse(await faultsOfSigning({signing}));
  return {root, text: json.text, base_url, signing};
}

/** Returns the keys of a site. Throws `InputError` if the site does not declare any, or if the current one is not `key`. */
export function signingOf({signing}: Pick<Keyed, 'signing'>, key?: PublicKey): Signing {
  if (!signing) {
    const fix = 'Run `frozen sign new-key --write`, which makes a key and puts it there.';
    throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing', rule: 'is missing', fix});
  }
  if (!key || (signing.kid === key.kid && signing.x === key.x)) return signing;
  const rule = `is not the key that was given, ${key.kid}`;
  throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing.kid', value: signing.kid, rule});
}
