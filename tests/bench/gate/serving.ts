import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {binary} from '../measure/commands.ts';
import {FROZEN} from '../../project.ts';
import type {Kind} from './server.ts';

/** The resources that a process has used. */
export interface Usage {
  /** Processor time in microseconds. */
  readonly cpu: number;
  /** Memory in bytes, after a garbage collection. */
  readonly heap: number;
  readonly resident: number;
}

/** A server in a separate process. */
export interface Serving extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  usage(): Promise<Usage>;
  /**
   * Starts another process of the same server. Needed for `serve` 14.2.7: it does not close the files of responses with
   * status 304 (vercel/serve-handler#235), and crashes at the limit of open files.
   */
  readonly anew?: () => Promise<Serving>;
}

/** The gate and its peers. */
export interface Servers extends AsyncDisposable {
  readonly ours: Serving;
  readonly packaged: Serving;
  readonly files: Serving;
  readonly tagged: Serving;
  readonly x402: Serving;
}

const SERVER = join(import.meta.dirname, 'server.ts');

/** Starts every server with the site below `root`. All end with this process. */
export async function serveAll(root: string, facilitatorUrl: string): Promise<Servers> {
  const own = (name: string, kind: Kind) =>
    serving(name, SERVER, [kind, root, facilitatorUrl], {execArgv: ['--import', 'tsx']});
  const all = await Promise.all([
    serving('the gate', FROZEN, [
      'start',
      '--root',
      root,
      '--port',
      '0',
      '--facilitator-url',
      facilitatorUrl,
      '--no-log',
    ]),
    servePackage(root),
    own('bare Hono file server', 'files'),
    own('bare Hono, hono/etag', 'tagged'),
    own('bare @x402/hono', 'x402'),
  ]);
  const [ours, packaged, files, tagged, x402] = all;
  return {
    ...{ours, packaged, files, tagged, x402},
    async [Symbol.asyncDispose]() {
      for (const server of all) await server[Symbol.asyncDispose]();
    },
  };
}

/** Starts the program `serve` of its package with the same `public/`, and the `serve.json` of the build. */
async function servePackage(root: string): Promise<Serving> {
  const quiet = ['--no-clipboard', '--no-request-logging', '--no-port-switching'];
  const args = [join(root, 'public'), '--listen', 'tcp://127.0.0.1:0', ...quiet];
  const anew = () => serving('serve', binary('serve'), args);
  return {...(await anew()), anew};
}

/** Starts a program that prints its address when it listens. */
async function serving(
  name: string,
  program: string,
  args: readonly string[],
  {execArgv = []}: {readonly execArgv?: readonly string[]} = {},
): Promise<Serving> {
  const child = fork(program, args, {
    execArgv: [...execArgv, '--expose-gc', '--import', join(import.meta.dirname, 'answer-usage.js')],
    env: {...process.env, NO_UPDATE_CHECK: '1'},
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const gone = new AbortController();
  child.once('exit', () => {
    gone.abort(new Error(`the server of ${name} has ended`));
  });
  return {
    name,
    url: await addressIn([child.stdout, child.stderr], gone.signal),
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message', {signal: gone.signal})) as [Usage];
      return usage;
    },
    async [Symbol.asyncDispose]() {
      if (gone.signal.aborted) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** Returns the first address that a program prints. Other output is ignored. */
async function addressIn(outputs: readonly (NodeJS.ReadableStream | null)[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
    for (const input of outputs)
      if (input)
        createInterface({input}).on('line', line => {
          const [address] = /http:\/\/\S+/.exec(line) ?? [];
          if (address !== undefined) resolve(address);
        });
  });
}
