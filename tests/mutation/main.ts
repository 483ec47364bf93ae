import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {DIST, PROJECT, STARTED} from '../../scripts/package/entries.js';
import {keepAddresses} from '../../scripts/package/keep-addresses.js';
import {quickRecovery} from '../../scripts/package/quick-recovery.js';
import {longest, MARK, SURVIVED, type Coverage, type Covered, type Job} from './worker.ts';

const UNIT_TESTS = 'tests/{ledger,paywall,settler,sales}/*.test.ts';
const HELP = `Changes the code of purchases in every way that Stryker knows, and counts the changes that unit tests and seeds notice.

  npm install --prefix /tmp/stryker @stryker-mutator/instrumenter@9.6.1
  node --import tsx tests/mutation/main.ts [--resume] [--units glob] /tmp/stryker 'paywall/settler/*.ts' …

  --resume      keeps the mutants that an earlier run killed, and runs only the others
  --units GLOB  the unit tests (default: ${UNIT_TESTS})
`;

interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: Readonly<Record<'start' | 'end', {readonly line: number; readonly column: number}>>;
}

interface Instrumented {
  readonly files: readonly {readonly name: string; readonly content: string}[];
  readonly mutants: readonly Mutant[];
}

/** Stryker's instrumenter, which is not installed with the project. */
interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<Instrumented>;
}

/** A compiled file that runs tests, and which mutants they reach. */
interface Runner extends Covered {
  readonly entry: string;
}

/** The most tests for one mutant, and the most milliseconds that one of them takes. */
interface Effort {
  readonly tests: number;
  readonly ms: number;
}

/** First a portion of the mutants of each file, so that an unfinished run is a random sample. */
const PORTIONS = [0.25, 1];
const OUT = join(DIST, 'mutation');
const RESULTS = join(DIST, 'mutation-results.json');
/** Without progress for so many milliseconds, a process is ended. */
const STUCK_MS = 120_000;
/** A static mutant needs a separate process, in which all tests may reach it. */
const STATIC: Readonly<Record<'units' | 'worlds', Effort>> = {
  units: {tests: 600, ms: 400},
  worlds: {tests: 2, ms: 4_000},
};
/** Cheap tests first. */
const EFFORTS: readonly (readonly [entry: 'units' | 'worlds', effort: Effort])[] = [
  ['units', {tests: 15, ms: 80}],
  ['units', {tests: 60, ms: 400}],
  ['worlds', {tests: 2, ms: 4_000}],
  ['units', {tests: 400, ms: 6_000}],
  ['worlds', {tests: 16, ms: 4_000}],
];
/** For the mutants that survive all others. */
const LAST_EFFORT: Effort = {tests: 200, ms: 20_000};

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {resume: {type: 'boolean', default: false}, units: {type: 'string', default: UNIT_TESTS}},
});
const [prefix = '', ...patterns] = positionals;
if (patterns.length === 0) {
  process.stderr.write(HELP);
  process.exit(2);
}
await rm(OUT, {recursive: true, force: true});
await mkdir(OUT, {recursive: true});
/** In memory if the system has such a folder, because the ledgers of the tests wait for their files. */
const temporary = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mutation-'));
const {files, mutants} = await instrumented();
/** The test that killed each mutant, by the mutant's name, or "survived". */
const outcomes = new Map<string, string>(
  values.resume && existsSync(RESULTS) ? Object.entries(JSON.parse(await readFile(RESULTS, 'utf8')) as object) : [],
);
await compileTests();
const runners = {units: await covered('units'), worlds: await covered('worlds')};
const statics = new Set([...runners.units.static, ...runners.worlds.static]);
for (const last of PORTIONS) {
  for (const entry of ['units', 'worlds'] as const)
    for (const mutant of left(last).filter(({id}) => statics.has(id))) {
      const job = staticJobOf(mutant, runners[entry].tests, STATIC[entry]);
      await run(entry, [job], {__STRYKER_ACTIVE_MUTANT__: mutant.id});
    }
  for (const [entry, effort] of EFFORTS) await runAll(entry, effort, last);
  report(last);
}
await runAll('worlds', LAST_EFFORT, 1);
report(1);
await rm(temporary, {recursive: true, force: true});

async function instrumented(): Promise<Instrumented> {
  const entry = join(prefix, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js');
  const {Instrumenter} = (await import(entry)) as {Instrumenter: new (logger: object) => Instrumenter};
  const names = await glob(patterns, {cwd: PROJECT, absolute: true});
  const sources = names.sort().map(async name => ({name, mutate: true, content: await readFile(name, 'utf8')}));
  const silent = {debug: () => undefined, info: () => undefined, isDebugEnabled: () => false};
  const options = {plugins: null, excludedMutations: [], ignorers: []};
  return new Instrumenter(silent).instrument(await Promise.all(sources), options);
}

/** Compiles the unit tests and the simulator with all mutants in them, each switched off. */
async function compileTests(): Promise<void> {
  const shim = join(PROJECT, 'tests/mutation/node-test.ts');
  const tests = (await glob(values.units, {cwd: PROJECT})).sort();
  const units = [
    `import {registered, startFile} from '${shim}';`,
    `import {work} from './tests/mutation/worker.ts';`,
    ...tests.map(test => `startFile('${test}');\nawait import('./${test}');`),
    'await work(registered);',
  ];
  await compile('units', units.join('\n'), {
    name: 'tests that run again',
    setup(build) {
      build.onResolve({filter: /^node:test$/}, ({importer}) => (importer === shim ? undefined : {path: shim}));
    },
  });
  await compile('worlds', `import './tests/mutation/worlds.ts';`, quickRecovery);
}

async function compile(name: string, source: string, plugin: esbuild.Plugin): Promise<void> {
  const contents = new Map(files.map(({name, content}) => [name, content]));
  const withMutants: esbuild.Plugin = {
    name: 'mutants',
    setup(build) {
      build.onLoad({filter: /\.ts$/}, ({path}) => {
        const found = contents.get(path);
        return found === undefined ? undefined : {contents: found, loader: 'ts'};
      });
    },
  };
  await esbuild.build({
    ...{absWorkingDir: PROJECT, bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20'},
    stdin: {contents: source, resolveDir: PROJECT},
    outfile: join(OUT, `${name}.js`),
    logLevel: 'error',
    plugins: [plugin, withMutants, keepAddresses(OUT, STARTED)],
  });
}

/** Runs all tests of a compiled file without a mutant. */
async function covered(entry: string): Promise<Runner> {
  const hash = createHash('sha256').update(await readFile(join(OUT, `${entry}.js`)));
  const file = join(DIST, `mutation-coverage-${hash.digest('hex').slice(0, 16)}.json`);
  if (!existsSync(file))
    for await (const line of linesOf(entry, ['cover', file]))
      if (line.startsWith('!')) process.stdout.write(`${line}\n`);
  if (!existsSync(file)) throw new Error(`${entry}: the tests do not run without a mutant`);
  const found = JSON.parse(await readFile(file, 'utf8')) as Covered;
  const ms = found.tests.reduce((sum, test) => sum + test.ms, 0);
  process.stdout.write(`${entry}: ${found.tests.length} tests in ${Math.round(ms / 1000)} s\n`);
  return {entry, ...found};
}

/** The mutants that no test has killed, in a portion of each file. The portions are random, and always the same. */
function left(last: number): Mutant[] {
  return sampleOf(last).filter(mutant => !isKilled(mutant));
}

/** The first portion of the mutants of each file. */
function sampleOf(last: number): Mutant[] {
  const digestOf = (mutant: Mutant) => createHash('sha256').update(nameOf(mutant)).digest('hex');
  return files.flatMap(({name}) => {
    const own = mutants.filter(({fileName}) => fileName === name).map(mutant => ({mutant, digest: digestOf(mutant)}));
    own.sort((one, other) => (one.digest < other.digest ? -1 : 1));
    return own.slice(0, Math.ceil(own.length * last)).map(({mutant}) => mutant);
  });
}

function isKilled(mutant: Mutant): boolean {
  return outcomes.get(nameOf(mutant))?.startsWith(SURVIVED) === false;
}

/** The tests that reach a mutant, within an effort: first those that are cheap and reach it often. */
function jobOf(id: string, tests: readonly Coverage[], effort: Effort): Job {
  const counted = tests.map(({name, ms, counts}) => ({name, ms, count: counts[id] ?? 0}));
  return {id, tests: cheapest(counted, effort).filter(({count}) => count > 0)};
}

/** Returns all tests for a static mutant, within an effort: first those that reach most mutants of the same file. */
function staticJobOf({id, fileName}: Mutant, tests: readonly Coverage[], effort: Effort): Job {
  const own = mutants.filter(mutant => mutant.fileName === fileName);
  const counted = tests.map(({name, ms, counts}) => ({name, ms, count: own.filter(({id}) => counts[id]).length}));
  return {id, tests: cheapest(counted, effort)};
}

function cheapest(tests: Job['tests'], effort: Effort): Job['tests'] {
  const costOf = ({ms, count}: Job['tests'][number]) =>
    (count === 0 ? 1e6 : 1) * (ms / Math.max(1, Math.min(count, 10)));
  const cheap = tests.filter(({ms}) => ms <= effort.ms);
  return cheap.sort((one, other) => costOf(one) - costOf(other)).slice(0, effort.tests);
}

/** Runs the mutants of a portion that are left and do not run while modules load. */
async function runAll(entry: 'units' | 'worlds', effort: Effort, last: number): Promise<void> {
  const jobs = left(last).filter(({id}) => !statics.has(id));
  await run(
    entry,
    jobs.map(({id}) => jobOf(id, runners[entry].tests, effort)),
  );
}

/** Runs jobs in one process, or in another one after a mutant that ended it or never ends. */
async function run(entry: string, jobs: readonly Job[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const names = new Map(mutants.map(mutant => [mutant.id, nameOf(mutant)]));
  const file = join(OUT, 'jobs.json');
  let open = jobs.filter(({tests}) => tests.length > 0);
  while (open.length > 0) {
    await writeFile(file, JSON.stringify(open));
    let running = 'nothing loads';
    const done = new Set<string>();
    const end = (id: string, outcome: string) => {
      outcomes.set(names.get(id) ?? id, outcome === SURVIVED ? `${SURVIVED} ${entry}` : outcome);
      done.add(id);
    };
    for await (const line of linesOf(entry, ['kill', file], env)) {
      const [, started = running] = /^runs \d+ \d+ (.*)$/.exec(line) ?? [];
      running = started;
      const [, id = '', outcome = ''] = /^is (\d+) (.*)$/.exec(line) ?? [];
      if (!id) continue;
      end(id, outcome);
      if (done.size % 25 === 0) await save(entry, open.length - done.size);
    }
    // The first mutant of a process ended it or never ends. A later one is repeated, because others may have damaged
    // the process.
    const [first] = open;
    if (first && done.size === 0) end(first.id, `${running}: never ends`);
    open = open.filter(({id}) => !done.has(id));
    await save(entry, open.length);
  }
}

async function save(entry: string, left: number): Promise<void> {
  await writeFile(RESULTS, JSON.stringify(Object.fromEntries(outcomes), undefined, 1));
  process.stdout.write(`${entry}: ${left} left, ${mutants.filter(isKilled).length} of ${mutants.length} killed\n`);
}

/** The lines that a compiled file prints, until it ends or makes no progress. */
async function* linesOf(
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): AsyncGenerator<string> {
  const flags = ['--single-threaded-gc', '--max-semi-space-size=64'];
  const child = spawn(process.execPath, [...flags, `${entry}.js`, ...args], {
    cwd: OUT,
    env: {...process.env, TMPDIR: temporary, ...env},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = () => child.kill('SIGKILL');
  let watch = setTimeout(end, STUCK_MS);
  for await (const line of createInterface({input: child.stdout})) {
    if (!line.startsWith(MARK)) continue;
    const text = line.slice(MARK.length);
    clearTimeout(watch);
    const [, ms] = /^runs \d+ (\d+) /.exec(text) ?? [];
    watch = setTimeout(end, ms === undefined ? STUCK_MS : 3_000 + longest(Number(ms)));
    yield text;
  }
  clearTimeout(watch);
}

/** A name that stays the same if other code changes. */
function nameOf({fileName, location: {start, end}, mutatorName, replacement}: Mutant): string {
  const place = `${start.line + 1}:${start.column + 1}-${end.line + 1}:${end.column + 1}`;
  return `${relative(PROJECT, fileName)}:${place} ${mutatorName} ${replacement.replace(/\s+/g, ' ')}`;
}

/** Prints the survivors among a portion of the mutants, and the score of each file. */
function report(last: number): void {
  const sample = sampleOf(last);
  const reached = new Set([...runners.units.tests, ...runners.worlds.tests].flatMap(({counts}) => Object.keys(counts)));
  for (const mutant of left(last)) {
    const isReached = statics.has(mutant.id) || reached.has(mutant.id);
    process.stdout.write(`${isReached ? '' : '(no test) '}${nameOf(mutant).slice(0, 160)}\n`);
  }
  for (const {name} of files) {
    const own = sample.filter(({fileName}) => fileName === name);
    process.stdout.write(`| ${relative(PROJECT, name)} | ${own.length} | ${own.filter(isKilled).length} |\n`);
  }
  const killed = sample.filter(isKilled).length;
  const score = killed / sample.length;
  // 95 of 100 such samples have the score of all mutants in this interval.
  const margin = 1.96 * Math.sqrt((score * (1 - score)) / sample.length);
  const percents = [score, score - margin, score + margin].map(part => (100 * part).toFixed(1)).join(', ');
  process.stdout.write(`${killed} of ${sample.length} mutants killed, in percent with the interval: ${percents}\n`);
}
