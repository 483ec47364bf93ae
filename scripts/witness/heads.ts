import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {checkDigest} from '../../build/read/digest.ts';
import {freezesOf, readFreezes, type Freeze} from '../../build/read/freezes.ts';
import {located} from '../../build/read/json-file.ts';
import {SOURCE_NAME, sourceNameHint} from '../../shared/source-name.ts';
import {InputError, mapAll, wrongUsage} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';

/**
 * Returns the last freeze of a source, or of every source with freezes: a proof of the last freeze covers the whole chain. Throws
 * `InputError` if no freeze exists, or if the rows of a freeze do not match its descriptor.
 */
export async function headsOf(root: string, source: string | undefined): Promise<Freeze[]> {
  const name = new RegExp(SOURCE_NAME);
  if (source !== undefined && !name.test(source))
    throw wrongUsage({
      code: 'FZ205',
      field: 'source',
      value: source,
      rule: `is not the name of a source, such as deny-list${sourceNameHint(source)}`,
    });
  const sources = (ifReadable(() => readdirSync(join(root, 'data/sources'))) ?? []).filter(found => name.test(found));
  const heads = await mapAll(source === undefined ? sources.sort() : [source], async one => {
    const freezes = await located(root, () => (source === undefined ? freezesOf(root, one) : readFreezes(root, one)));
    const head = freezes.at(-1);
    if (head) await checkDigest(head, () => undefined);
    return head ? [head] : [];
  });
  if (heads.flat().length > 0) return heads.flat();
  throw new InputError({
    code: 'FZ111',
    file: 'data/sources',
    rule: 'does not contain a freeze',
    fix: 'Make one with `frozen freeze`.',
  });
}
