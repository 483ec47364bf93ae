import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdtemp, readFile, rm, statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import glob from 'fast-glob';
import {buildExample} from './example/build-example.ts';
import {PROJECT} from './project.ts';

// Runs the compiled tests in dist/tests/ and ends with the exit code of Node's test runner, which repeats the failed
// tests at the end. Four groups run at the same time, because many tests wait. They copy one build of the example site.
// With --portable it runs only the tests that start no other program. With --all they share one chain and one browser,
// no process may use more than 6 GiB of data, and one of the groups is the worlds of the simulator, which have a low
// priority. Temporary files are in memory if the system has enough of it: on a disk, tests that build sites take up to
// a third more processor time.

const MOST_KIBIBYTES = 6 * 1024 ** 2;
const ROOM_FOR_FILES = 4 * 1024 ** 3;

const isAll = process.argv.includes('--all');
const inMemory = await memoryFolder();
if (inMemory !== undefined) process.env['TMPDIR'] = inMemory;
await using chain = isAll ? await (await import('../scripts/local-chain/chain.ts')).startChain() : undefined;
await using browser = isAll ? await sharedBrowser() : undefined;
const example = await mkdtemp(join(tmpdir(), 'example-'));
await buildExample(example);
const env = {
  ...process.env,
  SHARED_EXAMPLE: example,
  ...(chain && {SHARED_CHAIN: chain.rpcUrl}),
  ...(browser && {SHARED_BROWSER: browser.wsEndpoint()}),
};
const groups = process.argv.includes('--portable') ? 'portable' : 'grouped';
const files = await glob(`dist/tests/${groups}/*.js`, {cwd: PROJECT});
const flags = ['--enable-source-maps', '--test', '--test-force-exit', '--test-concurrency=4', '--test-reporter=spec'];
const command = [process.execPath, ...flags, ...files.sort()] as const;
const [program, ...args] = isAll ? limited(command) : command;
const tests = spawn(program, args, {cwd: PROJECT, env, stdio: 'inherit'});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
const [code] = (await once(tests, 'exit')) as [number | null];
for (const folder of [example, inMemory]) if (folder !== undefined) await rm(folder, {recursive: true, force: true});
process.exitCode = code ?? 1;

async function sharedBrowser() {
  const {noBrowser, serveBrowser} = await import('./pages/browser.ts');
  return noBrowser ? undefined : serveBrowser();
}

function limited(command: readonly string[]): [program: string, ...args: string[]] {
  return ['sh', '-c', `ulimit -d ${MOST_KIBIBYTES} && exec "$@"`, 'sh', ...command];
}

/**
 * Returns a new folder of the file system that Linux has in memory, or undefined if it lacks the space
 * or does not run programs.
 */
async function memoryFolder(): Promise<string | undefined> {
  const place = '/dev/shm';
  const {bavail, bsize} = await statfs(place).catch(() => ({bavail: 0, bsize: 0}));
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  if (bavail * bsize < ROOM_FOR_FILES || /^\S+ \/dev\/shm \S+ \S*noexec/m.test(mounts)) return undefined;
  const folder = await mkdtemp(join(place, 'tests-'));
  // Some tests run programs as another user.
  await chmod(folder, 0o1777);
  return folder;
}
