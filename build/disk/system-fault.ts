import {isAbsolute, join, relative} from 'node:path';
import {InputError} from '../../shared/fault.ts';

/**
 * Makes an `InputError` of an error of the system, with the path below the root and the system's code: a disk that refuses is no bug.
 * Returns any other error as it is.
 */
export function systemFault(root: string, cause: unknown, done: 'read' | 'written'): unknown {
  const {code, path, dest, syscall} = cause as NodeJS.ErrnoException & {dest?: string};
  if (code === undefined || syscall === undefined) return cause;
  const file = relative(root, dest ?? path ?? join(root, 'public'));
  if (file.startsWith('..') || isAbsolute(file)) return cause;
  return new InputError({file, rule: `cannot be ${done} (${code})`}, {cause, final: done === 'written'});
}

/** What `read` gives; where the disk refuses, its fault. */
export async function reading<T>(root: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw systemFault(root, cause, 'read');
  }
}
