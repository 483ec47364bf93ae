import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import {publicKeySchema} from '../../shared/shapes.ts';
import type {Examiner} from '../verify/examiner.ts';
import {askerOf} from './ask.ts';
import {makeFolder, replaceDurably} from './disk.ts';
import {refuseUnknownKey} from './signature.ts';
import {openSite, type Site} from './site.ts';

const FILE = 'site-keys.json';
const knownSchema = z.record(publicKeySchema);

/** How a buyer connects to a site and recognises it. */
export interface Known {
  /** The buyer's folder, which remembers the keys of sites. */
  readonly folder: string;
  readonly fetch: typeof fetch;
  /** The key that must have signed, if the buyer names one. It takes precedence over the remembered key. */
  readonly siteKey: string | undefined;
}

/**
 * Opens a site for a buyer; all tools and commands use this function. Throws `InputError` if the site no longer has a key, or has one that
 * is neither the known key nor signed by it. A site without a known key is trusted.
 */
export async function openKnown(origin: string, {folder, fetch, siteKey}: Known, examiner: Examiner): Promise<Site> {
  const site = await openSite(origin, askerOf(origin, fetch), examiner);
  const remembered = siteKey === undefined ? (await knownKeys(folder))[origin]?.kid : undefined;
  if (siteKey !== undefined) await refuseUnknownKey(site, siteKey, '--site-key is');
  else if (remembered !== undefined) await refuseUnknownKey(site, remembered, `${join(folder, FILE)} remembers`);
  return site;
}

/** Remembers the key of a site. */
export async function rememberKey(folder: string, {origin, catalogue: {signing}}: Site): Promise<void> {
  const known = await knownKeys(folder);
  if (!signing || known[origin]?.x === signing.x) return;
  await makeFolder(folder);
  await replaceDurably(join(folder, FILE), `${JSON.stringify({...known, [origin]: signing}, null, 2)}\n`);
}

async function knownKeys(folder: string): Promise<z.infer<typeof knownSchema>> {
  const file = join(folder, FILE);
  try {
    return knownSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const {code} = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    if (code !== undefined) throw new InputError({code: 'FZ611', file, rule: `cannot be read (${code})`}, {cause});
    throw new InputError(
      {
        code: 'FZ611',
        file,
        rule: 'cannot be read',
        fix: 'Restore it, or remove it to trust the key of each site again.',
      },
      {cause},
    );
  }
}
