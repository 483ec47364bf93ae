import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const HELP = `Builds public/ and paywall/rules/ from data/.

Usage: npm run build -- [options]

Options:
  --check      compare only: exit 1 where public/ or paywall/rules/ is not what the build writes
  --root DIR   the folder that holds data/, public/ and paywall/rules/ (default: this project)
  --workers N  how many threads compose documents (default: 1 below 1,000 products, else one for each core)
  --json       a summary for programs on standard output
  --help       this text

Exit codes: 0 fine, 1 the input or the check failed, 2 wrong usage.

Example: npm run build -- --root ../my-site --check
`;

/** Where text goes, where builds are remembered, and what worker threads run. */
export interface Surroundings {
  readonly out: {write(text: string): unknown};
  readonly err: {write(text: string): unknown};
  /** A folder; without it every build composes everything. */
  readonly memory?: string | undefined;
  /** The script of a worker thread; without it one thread does everything. */
  readonly worker?: URL | undefined;
}

/**
 * Runs the command and returns its exit code: 0 fine, 1 the input or the check failed, 2 wrong usage. Text goes to the program's own
 * streams by default.
 */
export async function main(
  args: readonly string[],
  {out = process.stdout, err = process.stderr, memory, worker}: Partial<Surroundings> = {},
): Promise<0 | 1 | 2> {
  standWhereCalled('build');
  if (out === process.stdout) endWithoutOutput();
  let flags: Flags;
  try {
    flags = usage(args);
  } catch (error) {
    err.write(wrongUsage(error));
    return 2;
  }
  if (flags.help) {
    out.write(HELP);
    return 0;
  }
  return run(flags, {out, err, memory, worker});
}

interface Flags {
  readonly root: string;
  readonly check: boolean;
  readonly json: boolean;
  readonly help: boolean;
  readonly workers: number | undefined;
}

async function run({root, check, json, workers}: Flags, {out, err, memory, worker}: Surroundings): Promise<0 | 1> {
  // Loaded here so that --help does not wait for them.
  const [{build}, {isUpToDate}, {InputError}, {summaryForPrograms, summaryOf}, faults, {terminalProgress}] =
    await Promise.all([
      import('../build/build.ts'),
      import('../build/write/changes.ts'),
      import('../shared/fault.ts'),
      import('./build/report.ts'),
      import('./terminal/faults.ts'),
      import('./build/progress.ts'),
    ]);
  const progress = terminalProgress(process.stderr);
  try {
    const built = await build({root, check, workers, script: worker, home: memory, progress});
    progress.end();
    const how = {root, check, seconds: Math.round(performance.now()) / 1000};
    out.write(json ? `${JSON.stringify(summaryForPrograms(built, how), null, 2)}\n` : `${summaryOf(built, how)}\n`);
    return check && !isUpToDate(built.changes) ? 1 : 0;
  } catch (error) {
    progress.end();
    if (!(error instanceof InputError)) throw error;
    err.write(`${faults.faultLines(error)}\n`);
    if (json) out.write(`${JSON.stringify(faults.faultsForPrograms(error), null, 2)}\n`);
    return 1;
  }
}

/** The flags, complete. Throws where they are wrong. */
function usage(args: readonly string[]): Flags {
  const {values} = parseArgs({
    args: [...args],
    options: {
      check: {type: 'boolean', default: false},
      root: {type: 'string', default: resolve(import.meta.dirname, '..')},
      workers: {type: 'string'},
      json: {type: 'boolean', default: false},
      help: {type: 'boolean', short: 'h', default: false},
    },
  });
  const {workers} = values;
  if (workers !== undefined && !/^[1-9]\d{0,2}$/.test(workers))
    throw new Error('--workers needs a number from 1 to 999');
  return {
    ...values,
    root: values.help ? values.root : rootFolder(values.root),
    workers: workers === undefined ? undefined : Number(workers),
  };
}
