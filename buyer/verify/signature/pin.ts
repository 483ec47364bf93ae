import {dirname, join, resolve} from 'node:path';
import {InputError} from '../../../shared/fault.ts';
import {SITE_FILE} from '../../../shared/paths.ts';
import type {PublicKey} from '../../../shared/public-key.ts';
import type {Catalogue} from '../../../shared/shapes.ts';
import {textIfThere} from '../bounded-file.ts';
import {namedKeys} from '../named-key.ts';
import {isObject, readObject} from '../untrusted-json.ts';

/** The known key of a site, as `kid` or `x`. */
export interface Pin {
  readonly key: string;
  /** The file or option with the key, as the end of a sentence. */
  readonly by: string;
}

/** Returns the known key of a site, if there is one. */
export type PinOf = (catalogue: Catalogue) => Promise<Pin | undefined>;

const MOST_BYTES = 1024 * 1024;

/**
 * Finds the known key: in the option, otherwise in a saved catalogue, otherwise in the `data/site.json` of the same site, which may come
 * with the site. Throws `InputError` if the option is not a key.
 */
export async function pinFrom({
  siteKey,
  saved,
  root,
  target,
}: {
  readonly siteKey?: string | undefined;
  readonly saved?: Pick<Catalogue, 'signing'> | undefined;
  readonly root?: string | undefined;
  readonly target: string;
}): Promise<PinOf> {
  // The first key of a file is the current one.
  const [named] = siteKey === undefined ? [] : await namedKeys(siteKey, undefined);
  const given = named && {key: named.x, by: '--site-key'};
  const before = saved?.signing && {key: saved.signing.x, by: '--saved-catalogue'};
  const folders = [resolve(target), dirname(resolve(target)), ...(root === undefined ? [] : [resolve(root)])];
  return async catalogue => given ?? before ?? (await localPin([...new Set(folders)], catalogue));
}

/** True if a key is the known one. */
export function isPinned({key}: Pin, {kid, x}: PublicKey): boolean {
  return key === kid || key === x;
}

/** Returns the key in a `data/site.json` of the same site. Ignores other sites. */
async function localPin(folders: readonly string[], {base_url}: Catalogue): Promise<Pin | undefined> {
  for (const folder of folders) {
    const file = join(folder, SITE_FILE);
    const text = await textIfThere(file, MOST_BYTES).catch(() => undefined);
    const site = text === undefined ? undefined : siteIn(file, text);
    const signing = site?.['signing'];
    if (site?.['base_url'] === base_url && isObject(signing)) return {key: String(signing['x']), by: SITE_FILE};
  }
  return undefined;
}

/** Parses a site file, or returns undefined if it is invalid, which other checks report. */
function siteIn(file: string, text: string) {
  try {
    return readObject(file, Buffer.from(text));
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
