import {isAbsolute, join, relative} from 'node:path';
import {InputError} from '../../shared/fault.ts';

/**
 * Converts an error of the system to an `InputError` with the path below the root and the system's code, because a disk error is not a bug.
 * Returns any other error unchanged.
 */
export function systemFault(root: string, cause: unknown, done: 'read' | 'written'): unknown {
  const {code, path, dest, syscall} = cause as NodeJS.ErrnoException & {dest?: string};
  if (code === undefined || syscall === undefined) return cause;
  const file = relative(root, dest ?? path ?? join(root, 'public'));
  if (file.startsWith('..') || isAbsolute(file)) return cause;
  return new InputError({code: 'FZ401', file, rule: `cannot be ${done} (${code})`}, {cause, final: done === 'written'});
}

/** Calls `read` and converts errors of the system to `InputError`. */
export async function reading<T>(root: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw systemFault(root, cause, 'read');
  }
}
