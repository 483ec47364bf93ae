import {InputError} from '../../shared/fault.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {checkReplaceable} from './replaceable.ts';

/**
 * Returns the digest of the previous freeze's descriptor, which a new freeze names. Undefined before the oldest freeze that is in the chain:
 * the first freeze has no `previous`, and older freezes may be added before it.
 *
 * @param others oldest first
 */
export function previousFor(as_of: string, others: readonly Freeze[]): string | undefined {
  const next = others.find(other => other.as_of > as_of);
  if (next && next.link.previous === undefined) return undefined;
  return others.findLast(other => other.as_of < as_of)?.link.descriptor;
}

/**
 * Returns the later freezes whose chain a new freeze breaks, oldest first: each must be frozen again. Throws `InputError` if one of them
 * may have been published.
 *
 * @param folder of the new freeze, relative to the root
 */
export async function brokenBehind(
  {root, as_of, folder}: {readonly root: string; readonly as_of: string; readonly folder: string},
  others: readonly Freeze[],
): Promise<readonly Freeze[]> {
  const behind = others.filter(other => other.as_of > as_of);
  if (behind[0]?.link.previous === undefined) return [];
  for (const {folder: named, date, source} of behind) {
    await checkReplaceable(root, named).catch((cause: unknown) => {
      if (!(cause instanceof InputError)) throw cause;
      const why = cause.faults.map(({rule}) => rule).join('; ');
      const rule = `would break the chain of ${source}: the freeze of ${date} names the one before it, and ${why}`;
      throw new InputError({code: 'FZ119', file: folder, rule}, {cause});
    });
  }
  return behind;
}
