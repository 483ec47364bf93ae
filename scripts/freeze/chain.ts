import {InputError} from '../../shared/fault.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {checkReplaceable} from './replaceable.ts';

/**
 * The digest of the descriptor before a new freeze, which its own names; none in the first freeze, nor among freezes from before there
 * were chains.
 *
 * @param others oldest first
 */
export function previousFor(as_of: string, others: readonly Freeze[]): string | undefined {
  const next = others.find(other => other.as_of > as_of);
  if (next && next.link.previous === undefined) return undefined;
  return others.findLast(other => other.as_of < as_of)?.link.descriptor;
}

/**
 * The freezes behind a new one whose chain breaks with it, oldest first: each has to be frozen again. Throws `InputError` where one of
 * them may have been published.
 *
 * @param folder of the new freeze, below the root
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
      throw new InputError({file: folder, rule}, {cause});
    });
  }
  return behind;
}
