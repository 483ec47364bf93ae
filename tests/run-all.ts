import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {startChain} from '../scripts/local-chain/chain.ts';
import {noBrowser, serveBrowser} from './pages/browser.ts';

// Runs the compiled files of tests that it is given, two at a time, on one chain and in one browser. Ends with the code of Node's test runner.

await using chain = await startChain();
await using browser = noBrowser ? undefined : await serveBrowser();
const env = {...process.env, SHARED_CHAIN: chain.rpcUrl, ...(browser && {SHARED_BROWSER: browser.wsEndpoint()})};
const args = ['--enable-source-maps', '--test', '--test-force-exit', '--test-concurrency=2', ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, {env, stdio: 'inherit'});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
const [code] = (await once(tests, 'exit')) as [number | null];
process.exitCode = code ?? 1;
