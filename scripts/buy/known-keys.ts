import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import {publicKeySchema} from '../../shared/shapes.ts';
import {makeFolder, replaceDurably} from './disk.ts';
import {refuseStranger} from './signature.ts';
import type {Site} from './site.ts';

const FILE = 'site-keys.json';
const knownSchema = z.record(publicKeySchema);

/**
 * Throws `InputError` where a site signs with another key than before, as the folder of a buyer remembers it, and the key before has not
 * signed this one; or where it does not sign any more. A site that is new here is trusted.
 *
 * @param given the key that must have signed, where the buyer knows it: it counts instead of what is remembered
 */
export async function refuseUnknownKey(folder: string, site: Site, given: string | undefined): Promise<void> {
  if (given !== undefined) return refuseStranger(site, given, 'you give');
  const known = (await knownKeys(folder))[site.origin];
  if (known) await refuseStranger(site, known.kid, `${join(folder, FILE)} remembers`);
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
    if (code !== undefined) throw new InputError({file, rule: `cannot be read (${code})`}, {cause});
    throw new InputError({file, rule: 'cannot be read: bring it back, or remove it to trust each site anew'}, {cause});
  }
}
