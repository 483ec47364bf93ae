import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import glob from 'fast-glob';
import {buildExample} from './example/build-example.ts';
import {PROJECT} from './project.ts';

// Runs the compiled tests in dist/tests/ and ends with the exit code of Node's test runner, which repeats the failed tests at the end. The
// four groups of fast tests run at the same time, and three files of slow tests, because many tests wait. They copy one build of the example
// site. With --all they share one chain and one browser, and no process may use more than 6 GiB of data.

const MOST_KIBIBYTES = 6 * 1024 ** 2;

const isAll = process.argv.includes('--all');
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
const files = await glob('dist/tests/{grouped/*,*.slow}.js', {cwd: PROJECT});
const concurrency = `--test-concurrency=${isAll ? 3 : 4}`;
const flags = ['--enable-source-maps', '--test', '--test-force-exit', concurrency, '--test-reporter=spec'];
const command = [process.execPath, ...flags, ...files.sort()] as const;
const [program, ...args] = isAll ? limited(command) : command;
const tests = spawn(program, args, {cwd: PROJECT, env, stdio: 'inherit'});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
const [code] = (await once(tests, 'exit')) as [number | null];
await rm(example, {recursive: true});
process.exitCode = code ?? 1;

async function sharedBrowser() {
  const {noBrowser, serveBrowser} = await import('./pages/browser.ts');
  return noBrowser ? undefined : serveBrowser();
}

function limited(command: readonly string[]): [program: string, ...args: string[]] {
  return ['sh', '-c', `ulimit -d ${MOST_KIBIBYTES} && exec "$@"`, 'sh', ...command];
}
