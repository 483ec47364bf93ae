import {join} from 'node:path';
import {InputError, type Fault} from '../../shared/fault.ts';
import {checkDigest, stampOf, type Digested, type OnBytes, type Seen} from './digest.ts';

/** Before the digest of a freeze was checked: of each file, what no change of it leaves as it was. */
const stamps = new WeakMap<Digested, readonly (string | undefined)[]>();

/** Checks the digest of a freeze, and remembers its files. */
export function checkFrozen(root: string, freeze: Digested, onBytes: OnBytes): Promise<Seen> {
  const before = freeze.files.map(file => stampOf(join(root, file)));
  stamps.set(freeze, before);
  return checkDigest(root, freeze, onBytes);
}

/** The files of a freeze that have changed since its digest was checked: their rows may have been read since. */
export function changeFaults(root: string, freeze: Digested): Fault[] {
  const before = stamps.get(freeze) ?? [];
  return freeze.files
    .filter((file, index) => stampOf(join(root, file)) !== before[index])
    .map(file => ({file, rule: 'changed while it was read'}));
}

/** Whether the files of a freeze can be read and have the bytes that its descriptor tells. */
export async function isFrozen(root: string, freeze: Digested, onBytes: OnBytes): Promise<boolean> {
  try {
    await checkFrozen(root, freeze, onBytes);
    return true;
  } catch (error) {
    if (error instanceof InputError || (error as NodeJS.ErrnoException).syscall !== undefined) return false;
    throw error;
  }
}
