import {frozen} from '../../scripts/program.ts';
import {plainErrors} from '../plain-errors.ts';

/** Runs a command of `frozen` in this process. The errors have no codes and remedies. */
export async function run(
  ...args: string[]
): Promise<{readonly code: number; readonly out: string; readonly err: string}> {
  const written = {out: '', err: ''};
  const code = await frozen(args, {
    out: {write: (text: string) => (written.out += text)},
    err: {write: (text: string) => (written.err += text)},
  });
  return {code, out: written.out, err: plainErrors(written.err)};
}
