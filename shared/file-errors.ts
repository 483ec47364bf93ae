import {InputError} from './fault.ts';

type Verb = 'read' | 'written';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full (ENOSPC)',
  EDQUOT: 'cannot be written: the disk quota is used up (EDQUOT)',
};

/** Runs an operation on a file. Errors of the operating system become an `InputError` about that file. */
export async function withFileErrors<T>(file: string, verb: Verb, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw fileError(file, verb, cause);
  }
}

/** Converts an error of the operating system to an `InputError` about the file. Returns other errors unchanged. */
export function fileError(file: string, verb: Verb, cause: unknown): unknown {
  const {code, syscall} = cause as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return cause;
  // An address may exist, but not as a file.
  if (code === 'ENOENT' && /^https?:\/\//i.test(file))
    return new InputError(
      {code: 'FZ401', url: file, rule: 'is an address, not a file', fix: 'Download it first.'},
      {cause},
    );
  const fix = code === 'ENOENT' ? 'Correct the path.' : undefined;
  return new InputError({code: 'FZ401', file, rule: REASONS[code] ?? `cannot be ${verb} (${code})`, fix}, {cause});
}
