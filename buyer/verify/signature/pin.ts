import {dirname, join, resolve} from 'node:path';
import {InputError, wrongUsage, type Place} from '../../../shared/fault.ts';
import {SITE_FILE} from '../../../shared/paths.ts';
import {type PublicKey, isKeyText, KEY_PATTERN} from '../../../shared/public-key.ts';
import type {Catalogue} from '../../../shared/shapes.ts';
import {bytesIfThere, readBounded} from '../bounded-file.ts';
import {isObject, readObject, readUntrusted} from '../untrusted-json.ts';
import {z} from '@x402/core/schemas';
import {leadsTo, publicKeyIn, type LinkedKey} from '../../../shared/next-key.ts';
import {thumbprintOf} from '../../../shared/signing-key.ts';

/** The known key of a site, as `kid` or `x`. */
export interface Pin {
  readonly key: string;
  /** The file or option with the key, as the end of a sentence. */
  readonly by: string;
}

/** Returns the known key of the site of a catalogue, if there is one. */
export type PinOf = (catalogue: Catalogue) => Promise<Pin | undefined>;

const MOST_BYTES = 1024 * 1024;

/**
 * Finds the known key: in the option, otherwise in a saved catalogue, otherwise in a `data/site.json` of the same site, in the folder
 * `target`, its parent or `root`. Throws `InputError` if the option is not a key.
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

/** True if a key of the site is the expected one, which is given as `kid` or as `x`. */
export function isPinned({key}: Pin, {kid, x}: PublicKey): boolean {
  return key === kid || key === x;
}

/** Returns the key in a `data/site.json` of the same site. Ignores other sites, and invalid files, which other checks report. */
async function localPin(folders: readonly string[], {base_url}: Catalogue): Promise<Pin | undefined> {
  for (const folder of folders) {
    const file = join(folder, SITE_FILE);
    const read = readBounded(file, MOST_BYTES).then(bytes => readObject(file, bytes));
    const site = await read.catch(() => undefined);
    const signing = site?.['signing'];
    if (site?.['base_url'] === base_url && isObject(signing)) return {key: String(signing['x']), by: SITE_FILE};
  }
  return undefined;
}

const text = z.string().regex(new RegExp(KEY_PATTERN));
const keySchema = z.object({x: text, signed_next: z.string().optional()});
/** A JWK, a JWKS, `data/site.json` or a catalogue. A forger can put any key into a receipt, so it has no `receipt`. */
const fileSchema = z.object({
  receipt: z.undefined(),
  x: text.optional(),
  keys: z.array(z.unknown()).max(200).optional(),
  signing: keySchema.extend({former: z.array(z.unknown()).max(200).optional()}).optional(),
});

/**
 * Returns the keys named by a thumbprint (`kid`), a key (`x`), or a file with a JWK, a JWKS or a `data/site.json`: its first key, and
 * every former key that signed its successor up to the first key. A lost or stolen key is accepted only if the option names the key itself.
 * Throws `InputError` if no key is found.
 *
 * @param known a key to which a thumbprint may refer
 */
export async function namedKeys(named: string, known: PublicKey | undefined): Promise<PublicKey[]> {
  if (!isKeyText(named)) return keysOfFile(named);
  if (known && named === known.kid && (await thumbprintOf(known.x)) === named) return [known];
  return [{kid: await thumbprintOf(named), x: named}];
}

async function keysOfFile(file: string): Promise<PublicKey[]> {
  const bytes = await bytesIfThere(file, MOST_BYTES);
  if (!bytes)
    throw wrongUsage({
      code: 'FZ620',
      subject: file,
      rule: 'is neither the kid nor the x of a key, nor a file with one',
    });
  const read = fileSchema.safeParse(readUntrusted(file, bytes));
  const {x, keys = [], signing} = read.data ?? {};
  const all = [...(x === undefined ? [] : [{x}]), ...keys, ...(signing ? [signing, ...(signing.former ?? [])] : [])];
  const found = all.flatMap(one => keySchema.safeParse(one).data ?? []);
  const none = 'contains no Ed25519 key of a seller. A JWK, a JWKS or a data/site.json contains one';
  if (found.length === 0) throw new InputError({code: 'FZ620', file, rule: none});
  const listed = await Promise.all(found.map(async key => ({...key, kid: await thumbprintOf(key.x)})));
  const [current] = listed;
  const led = current ? await Promise.all(listed.map(key => leadsTo(key, current, listed))) : [];
  return listed.filter((_, at) => led[at]);
}

/** Larger than any JWK set of a site. */
export const MOST_JWKS_BYTES = 128 * 1024;

const MOST_KEYS = 101;

/** A key with the end of its last day, in seconds since 1970, if it is a former one. */
export interface DatedKey extends LinkedKey {
  readonly exp?: number;
}

/**
 * Returns the signing keys in a JWK set of a site, the current one first. Ignores other keys. Throws `InputError` if it is not a JWK set.
 */
export async function keysIn(bytes: Uint8Array, at: Place): Promise<DatedKey[]> {
  const {keys} = readObject(at, bytes);
  const listed = Array.isArray(keys) ? (keys as unknown[]).slice(0, MOST_KEYS) : [];
  const found = listed.filter(isObject).map(async jwk => {
    const key = await publicKeyIn(jwk);
    const {signed_next, exp} = jwk;
    const dated = {...(typeof signed_next === 'string' && {signed_next}), ...(typeof exp === 'number' && {exp})};
    return key ? [{...key, ...dated}] : [];
  });
  return (await Promise.all(found)).flat();
}
