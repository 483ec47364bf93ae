import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {setFlagsFromString} from 'node:v8';
import type {Built} from '../build/build.ts';
import type {Kept} from '../build/cache/kept.ts';
import type {Memory} from '../build/cache/memory.ts';
import type {Digested, OnBytes} from '../build/read/digest.ts';
import {rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';
import {endWithoutOutput} from '../shared/standard-output.ts';

const HELP = `Builds public/ and paywall/rules/ from data/.

Usage: npm run build -- [options]

Options:
  --check      compare only: exit 1 where public/ or paywall/rules/ is not what the build writes
  --root DIR   the folder that holds data/, public/ and paywall/rules/ (default: this project)
  --json       a summary for programs on standard output
  --help       this text

Exit codes: 0 fine, 1 the input or the check failed, 2 wrong usage.

Example: npm run build -- --root ../my-site --check
`;

/** Where text goes, and where builds are remembered. */
export interface Surroundings {
  readonly out: {write(text: string): unknown};
  readonly err: {write(text: string): unknown};
  /** Without it every build computes everything. */
  readonly memory?: Memory | undefined;
}

/**
 * Runs the command and returns its exit code: 0 fine, 1 the input or the check failed, 2 wrong usage. Text goes to the program's own
 * streams by default.
 */
export async function main(
  args: readonly string[],
  {out = process.stdout, err = process.stderr, memory}: Partial<Surroundings> = {},
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
  return run(flags, {out, err, memory});
}

interface Flags {
  readonly root: string;
  readonly check: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

async function run(flags: Flags, {out, err, memory}: Surroundings): Promise<0 | 1> {
  const {root, check, json} = flags;
  // V8 would let what is no longer needed of many products fill a third more memory before it collects; that takes no more time.
  setFlagsFromString('--heap-growing-percent=30');
  // Loaded here so that --help does not wait for them.
  const [
    {isUpToDate},
    {InputError},
    {summaryForPrograms, summaryOf},
    {faultLines, faultsForPrograms},
    {terminalProgress},
    {strays},
  ] = await Promise.all([
    import('../build/write/changes.ts'),
    import('../shared/fault.ts'),
    import('./build/report.ts'),
    import('./terminal/faults.ts'),
    import('./build/progress.ts'),
    import('../build/notes/strays.ts'),
  ]);
  const progress = terminalProgress(process.stderr);
  try {
    const made = await builtOrRecalled(flags, memory, progress.onFreeze);
    const built = {...made, notes: [...made.notes, ...strays(root, made)]};
    progress.end();
    const how = {root, check, seconds: Math.round(performance.now()) / 1000};
    out.write(json ? `${JSON.stringify(summaryForPrograms(built, how), null, 2)}\n` : `${summaryOf(built, how)}\n`);
    return check && !isUpToDate(built.changes) ? 1 : 0;
  } catch (error) {
    progress.end();
    if (!(error instanceof InputError)) throw error;
    err.write(`${faultLines(error)}\n`);
    if (json) out.write(`${JSON.stringify(faultsForPrograms(error), null, 2)}\n`);
    return 1;
  }
}

/** The last build where nothing changed since, else a build. A check is what memory is checked against: it never uses any. */
async function builtOrRecalled(
  {root, check}: Flags,
  memory: Memory | undefined,
  onFreeze: (freeze: Digested) => OnBytes,
): Promise<Built> {
  const build = async (kept?: () => Kept | undefined) =>
    (await import('../build/build.ts')).build({root, check, onFreeze, kept});
  if (check || !memory) return build();
  const [{digestsOfInputs}, {keptOf, lastOf, recall, remember}] = await Promise.all([
    import('../build/cache/inputs.ts'),
    import('../build/cache/memory.ts'),
  ]);
  const inputs = digestsOfInputs(root);
  const recalled = await recall(lastOf(memory, root), root, inputs, onFreeze);
  if (recalled) return recalled;
  const built = await build(() => keptOf(memory, root, inputs));
  remember(memory, root, inputs, built);
  return built;
}

/** The flags, complete. Throws where they are wrong. */
function usage(args: readonly string[]): Flags {
  const {values} = parseArgs({
    args: [...args],
    options: {
      check: {type: 'boolean', default: false},
      root: {type: 'string', default: fileURLToPath(new URL('..', import.meta.url))},
      json: {type: 'boolean', default: false},
      help: {type: 'boolean', short: 'h', default: false},
    },
  });
  return {...values, root: values.help ? values.root : rootFolder(values.root)};
}
