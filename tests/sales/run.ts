import {frozen} from '../../scripts/program.ts';

/** Runs a command of `frozen` in this process. */
export async function run(
  ...args: string[]
): Promise<{readonly code: number; readonly out: string; readonly err: string}> {
  const written = {out: '', err: ''};
  const code = await frozen(args, {
    out: {write: (text: string) => (written.out += text)},
    err: {write: (text: string) => (written.err += text)},
  });
  return {code, ...written};
}
