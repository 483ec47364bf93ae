import {z} from '@x402/core/schemas';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {leadsTo} from '../../shared/next-key.ts';
import {isKeyText, KEY_PATTERN, type PublicKey} from '../../shared/public-key.ts';
import {thumbprintOf} from '../../shared/signing-key.ts';
import {bytesIfThere} from './bounded-file.ts';
import {readUntrusted} from './untrusted-json.ts';

const text = z.string().regex(new RegExp(KEY_PATTERN));
const keySchema = z.object({x: text, signed_next: z.string().optional()});
/** A JWK, a JWKS, `data/site.json` or a catalogue. A forger can put any key into a receipt, so it has no `receipt`. */
const fileSchema = z.object({
  receipt: z.undefined(),
  x: text.optional(),
  keys: z.array(z.unknown()).max(200).optional(),
  signing: keySchema.extend({former: z.array(z.unknown()).max(200).optional()}).optional(),
});
const MOST_BYTES = 1024 * 1024;

/**
 * Returns the keys named by a thumbprint (`kid`), a key (`x`), or a file with a JWK, a JWKS or a `data/site.json`: its first key, and
 * every former key that signed its successor up to the first key. A lost or stolen key is accepted only if the option names the key itself.
 * Throws `InputError` if no key is found.
 *
 * @param known a key to which a thumbprint may refer
 */
export async function namedKeys(named: string, known: PublicKey | undefined): Promise<PublicKey[]> {
  if (!isKeyText(named)) return keysIn(named);
  if (known && named === known.kid && (await thumbprintOf(known.x)) === named) return [known];
  return [{kid: await thumbprintOf(named), x: named}];
}

async function keysIn(file: string): Promise<PublicKey[]> {
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
  if (found.length === 0)
    throw new InputError({
      code: 'FZ620',
      file,
      rule: 'contains no Ed25519 key of a seller. A JWK, a JWKS or a data/site.json contains one',
    });
  const listed = await Promise.all(found.map(async key => ({...key, kid: await thumbprintOf(key.x)})));
  const [current] = listed;
  const led = current ? await Promise.all(listed.map(key => leadsTo(key, current, listed))) : [];
  return listed.filter((_, at) => led[at]);
}
