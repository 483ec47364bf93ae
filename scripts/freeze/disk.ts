import {InputError} from '../../shared/fault.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full (ENOSPC)',
  EDQUOT: 'cannot be written: the disk quota is used up (EDQUOT)',
};

/** Runs an operation on a file. Errors of the operating system become an `InputError` about that file. */
export async function onDisk<T>(file: string, verb: 'read' | 'written', act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw diskFault(file, verb, cause);
  }
}

/** Converts an error of the operating system to an `InputError` about the file. Returns other errors unchanged. */
export function diskFault(file: string, verb: 'read' | 'written', cause: unknown): unknown {
  const {code, syscall} = cause as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return cause;
  const fix = code === 'ENOENT' ? 'Correct the path.' : undefined;
  return new InputError({code: 'FZ401', file, rule: REASONS[code] ?? `cannot be ${verb} (${code})`, fix}, {cause});
}
