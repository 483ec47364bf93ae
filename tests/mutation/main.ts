import {spawn, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join, relative} from 'node:path';
import {createInterface} from 'node:readline';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {DIST, PROJECT, STARTED} from '../../scripts/package/entries.js';
import {keepAddresses} from '../../scripts/package/keep-addresses.js';

const HELP = `Changes the code of purchases in every way that Stryker knows, and counts the changes that seeds and unit tests notice.

  npm install --prefix /tmp/stryker @stryker-mutator/instrumenter@9.6.1
  node --import tsx tests/mutation/main.ts /tmp/stryker 200 'paywall/settler/*.ts' …
`;

interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: {readonly start: {readonly line: number; readonly column: number}};
}

interface Instrumented {
  readonly files: readonly {readonly name: string; readonly content: string}[];
  readonly mutants: readonly Mutant[];
}

/** Stryker's instrumenter, which is not installed with the project. */
interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<Instrumented>;
}

const UNIT_TESTS = 'tests/{ledger,paywall,settler,sales}/*.test.ts';
/** A seed, or a file of tests, that takes longer in milliseconds, never ends. */
const TIMEOUT_MS = 120_000;
const OUT = join(DIST, 'mutation');
/** Writes which mutants a test reaches, when its process ends. */
const AT_EXIT = `import {writeFileSync} from 'node:fs';
process.on('exit', () => writeFileSync(process.env.COVERAGE_FILE, JSON.stringify(globalThis.__stryker__?.mutantCoverage ?? {static: {}, perTest: {}})));`;

const [, , prefix = '', seeds = '200', ...patterns] = process.argv;
if (patterns.length === 0) {
  process.stderr.write(HELP);
  process.exit(2);
}
await rm(OUT, {recursive: true, force: true});
await mkdir(OUT, {recursive: true});
const {files, mutants} = await instrumented();
const unitTests = await glob(UNIT_TESTS, {cwd: PROJECT});
await bundle(['tests/mutation/worlds.ts', ...unitTests]);
const killed = await killedByWorlds();
await killByUnitTests(unitTests);
report();

async function instrumented(): Promise<Instrumented> {
  const entry = join(prefix, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js');
  const {Instrumenter} = (await import(entry)) as {Instrumenter: new (logger: object) => Instrumenter};
  const names = await glob(patterns, {cwd: PROJECT, absolute: true});
  const sources = names.map(async name => ({name, mutate: true, content: await readFile(name, 'utf8')}));
  const silent = {debug: () => undefined, info: () => undefined, isDebugEnabled: () => false};
  const options = {plugins: null, excludedMutations: [], ignorers: []};
  return new Instrumenter(silent).instrument(await Promise.all(sources), options);
}

/** Compiles entry points with all mutants in them, each switched off. */
async function bundle(entries: readonly string[]): Promise<void> {
  const contents = new Map(files.map(({name, content}) => [name, content]));
  const plugin: esbuild.Plugin = {
    name: 'mutants',
    setup(build) {
      build.onLoad({filter: /\.ts$/}, ({path}) => {
        const found = contents.get(path);
        return found === undefined ? undefined : {contents: found, loader: 'ts'};
      });
    },
  };
  await esbuild.build({
    ...{absWorkingDir: PROJECT, outdir: OUT, bundle: true, packages: 'external', format: 'esm', platform: 'node'},
    entryPoints: Object.fromEntries(entries.map(entry => [nameOf(entry), entry])),
    ...{target: 'node20', logLevel: 'error', plugins: [plugin, keepAddresses(OUT, STARTED)]},
  });
}

function nameOf(entry: string): string {
  return entry.replace(/\.ts$/, '').replaceAll('/', '-');
}

/** Runs the seeds with all mutants. Starts again after a mutant that never ends. */
async function killedByWorlds(): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>();
  for (;;) {
    const left = mutants.filter(({id}) => !outcomes.has(id)).map(({id}) => id);
    const [stuck] = left;
    if (stuck === undefined) break;
    await writeFile(join(OUT, 'ids.json'), JSON.stringify(left));
    for await (const line of linesOf('tests-mutation-worlds.js', ['ids.json', seeds, 'coverage.json'])) {
      const [, id = '', outcome = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
      if (id) outcomes.set(id, outcome);
    }
    const [next] = mutants.filter(({id}) => !outcomes.has(id));
    if (!existsSync(join(OUT, 'coverage.json'))) throw new Error('the worlds do not run without a mutant');
    if (next) outcomes.set(next.id, 'time is over');
  }
  return new Map([...outcomes].filter(([, outcome]) => outcome !== 'survived'));
}

/** The lines that a compiled file prints, until it ends or prints nothing for too long. */
async function* linesOf(entry: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(process.execPath, [entry, ...args], {cwd: OUT, stdio: ['ignore', 'pipe', 'inherit']});
  const watch = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  for await (const line of createInterface({input: child.stdout})) {
    watch.refresh();
    yield line;
  }
  clearTimeout(watch);
}

/** Runs the files of unit tests that reach a mutant that no seed has killed. */
async function killByUnitTests(unitTests: readonly string[]): Promise<void> {
  await writeFile(join(OUT, 'at-exit.mjs'), AT_EXIT);
  const reached = new Map<string, Set<string>>();
  for (const test of unitTests) {
    const file = join(OUT, `${nameOf(test)}.json`);
    if (!isGreen(test, {COVERAGE_FILE: file})) throw new Error(`${test} fails without a mutant`);
    const coverage = JSON.parse(await readFile(file, 'utf8')) as {static: object; perTest: Record<string, object>};
    const counts = [coverage.static, ...Object.values(coverage.perTest)];
    reached.set(test, new Set(counts.flatMap(count => Object.keys(count))));
  }
  for (const {id} of mutants.filter(({id}) => !killed.has(id))) {
    const killer = unitTests.find(
      test => reached.get(test)?.has(id) && !isGreen(test, {__STRYKER_ACTIVE_MUTANT__: id}),
    );
    if (killer) killed.set(id, killer);
    process.stdout.write(`${id} ${killer ?? 'survived'}\n`);
  }
}

function isGreen(test: string, env: Readonly<Record<string, string>>): boolean {
  const hook = 'COVERAGE_FILE' in env ? ['--import', './at-exit.mjs'] : [];
  const args = [...hook, '--test-force-exit', `${nameOf(test)}.js`];
  const {status} = spawnSync(process.execPath, args, {cwd: OUT, env: {...process.env, ...env}, timeout: TIMEOUT_MS});
  return status === 0;
}

/** Prints the survivors, and the score of each file. */
function report(): void {
  for (const {name, content} of files) {
    const file = relative(PROJECT, name);
    const own = mutants.filter(({fileName}) => fileName === name);
    const survivors = own.filter(({id}) => !killed.has(id));
    for (const {mutatorName, location, replacement} of survivors)
      process.stdout.write(`${file}:${location.start.line + 1} ${mutatorName} ${replacement.slice(0, 100)}\n`);
    process.stdout.write(`${file}: ${own.length - survivors.length} of ${own.length} killed (${content.length})\n`);
  }
  process.stdout.write(`${killed.size} of ${mutants.length} mutants killed\n`);
}
