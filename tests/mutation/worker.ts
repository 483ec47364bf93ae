import {existsSync, readFileSync, writeFileSync, writeSync} from 'node:fs';

// Runs tests with mutants in this process. Two arguments: what to do, and a file. `cover FILE` runs every test without
// a mutant, and writes to the file which mutants each test reaches. `kill FILE` reads mutants with their tests from the
// file. For each mutant it prints a line before each test, and then what killed it, or "survived".

/** A test of the code under mutation. It rejects if it fails. */
export interface MutationTest {
  readonly name: string;
  run(): Promise<void>;
  /** Restores what a run that never ends has replaced. */
  stop?(): Promise<void>;
}

/** A test with its time and how often it runs each mutant. */
export interface Coverage {
  readonly name: string;
  readonly ms: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** The mutants that each test reaches. Static mutants run while modules load. */
export interface Covered {
  readonly tests: readonly Coverage[];
  readonly static: readonly string[];
}

export interface Job {
  readonly id: string;
  readonly tests: readonly {readonly name: string; readonly ms: number; readonly count: number}[];
}

/** The variable with which Stryker's code talks to a test runner. */
interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {readonly static: Record<string, number>; readonly perTest: Record<string, Record<string, number>>};
}

/** The prefix of the lines of this process, because tests print too. */
export const MARK = '@@ ';
export const SURVIVED = 'survived';

const stryker = ((globalThis as {__stryker__?: Stryker}).__stryker__ ??= {});
const LATE = 'takes too long';
let crash: string | undefined;
/** A test that takes longer in milliseconds fails: without a mutant, and with one, compared with the time without. */
const MOST_MS = 30_000;
export const longest = (ms: number) => 4_000 + 10 * ms;
/** The simulator replaces the global function. */
const {setTimeout} = globalThis;

/** Does what the arguments of this process say, and ends the process. */
export async function work(tests: readonly MutationTest[]): Promise<never> {
  process.on('unhandledRejection', error => (crash = String(error)));
  process.on('uncaughtException', error => (crash = String(error)));
  const [, , task, file = ''] = process.argv;
  if (task === 'cover') await cover(tests, file);
  else await kill(new Map(tests.map(test => [test.name, test])), file);
  process.exit();
}

async function cover(tests: readonly MutationTest[], file: string): Promise<void> {
  const covered: Coverage[] = [];
  for (const test of tests) {
    print(`covers ${test.name}`);
    stryker.currentTestId = test.name;
    const start = performance.now();
    const failure = await failureOf(test, MOST_MS);
    stryker.currentTestId = undefined;
    if (failure !== undefined) print(`! ${test.name} fails without a mutant: ${failure}`);
    else
      covered.push({
        name: test.name,
        ms: Math.ceil(performance.now() - start),
        counts: stryker.mutantCoverage?.perTest[test.name] ?? {},
      });
  }
  const found: Covered = {tests: covered, static: Object.keys(stryker.mutantCoverage?.static ?? {})};
  writeFileSync(file, JSON.stringify(found));
}

async function kill(tests: ReadonlyMap<string, MutationTest>, file: string): Promise<void> {
  const jobs = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Job[]) : [];
  for (const [at, job] of jobs.entries()) {
    const {outcome, isDamaged} = await outcomeOf(job, tests);
    // The parent starts another process, and repeats the mutant there if another one may have damaged this process.
    if (at === 0 || !isDamaged) print(`is ${job.id} ${outcome}`);
    if (isDamaged) process.exit();
  }
}

async function outcomeOf(
  job: Job,
  tests: ReadonlyMap<string, MutationTest>,
): Promise<{readonly outcome: string; readonly isDamaged: boolean}> {
  // A mutant that is chosen by the environment also counts while modules load.
  const isOfProcess = process.env['__STRYKER_ACTIVE_MUTANT__'] === job.id;
  for (const {name, count, ms} of job.tests) {
    const test = tests.get(name);
    if (!test) continue;
    print(`runs ${job.id} ${ms} ${name}`);
    Object.assign(stryker, {activeMutant: job.id, hitCount: 0});
    stryker.hitLimit = isOfProcess ? undefined : 1_000 + 100 * count;
    const failure = await failureOf(test, longest(ms));
    stryker.activeMutant = undefined;
    if (failure === undefined) continue;
    const isDamaged = !isOfProcess && (await failureOf(test, longest(ms))) !== undefined;
    return {outcome: `${name}: ${failure}`, isDamaged};
  }
  return {outcome: SURVIVED, isDamaged: false};
}

async function failureOf(test: MutationTest, mostMs: number): Promise<string | undefined> {
  crash = undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Never in the simulator, which gives the event loop no turn. The parent ends a process that takes too long.
  const late = new Promise<string>(resolve => {
    timer = setTimeout(() => {
      resolve(LATE);
    }, mostMs);
  });
  const ended = test.run().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const failure = await Promise.race([ended, late]);
  clearTimeout(timer);
  if (failure === LATE) await test.stop?.();
  return (failure ?? crash)?.split('\n', 1)[0];
}

function print(line: string): void {
  writeSync(1, `\n${MARK}${line.replaceAll('\n', ' ')}\n`);
}
