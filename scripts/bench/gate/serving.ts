import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {binary} from '../measure/commands.ts';
import type {Usage} from './answer-usage.ts';
import type {Kind} from './server.ts';

/** A server in a process of its own. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  usage(): Promise<Usage>;
}

/** Starts the gate or one of its bare peers over the site below `root`; it never outlives this process. */
export async function serve(kind: Kind, root: string, facilitatorUrl: string): Promise<Serving> {
  return serving(join(import.meta.dirname, 'server.ts'), [kind, root, facilitatorUrl]);
}

/** Starts `serve`, the package's own program, over the same `public/`; its `serve.json` is the one that the build writes. */
export async function servePackage(root: string): Promise<Serving> {
  const quiet = ['--no-clipboard', '--no-request-logging', '--no-port-switching'];
  return serving(binary('serve'), [join(root, 'public'), '--listen', 'tcp://127.0.0.1:0', ...quiet]);
}

/** Starts a program that prints its address once it listens. */
async function serving(program: string, args: readonly string[]): Promise<Serving> {
  const preload = ['--expose-gc', '--import', join(import.meta.dirname, 'answer-usage.ts')];
  const child = fork(program, args, {
    execArgv: [...process.execArgv, ...preload],
    env: {...process.env, NO_UPDATE_CHECK: '1'},
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = new AbortController();
  child.once('exit', () => {
    gone.abort(new Error(`the server ${program} has ended`));
  });
  return {
    url: await addressIn(child.stdout, gone.signal),
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message', {signal: gone.signal})) as [Usage];
      return usage;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** The first address that a program prints; whatever else it prints is read and dropped. */
async function addressIn(output: NodeJS.ReadableStream | null, signal: AbortSignal): Promise<string> {
  if (!output) throw new Error('a server has no standard output');
  const lines = createInterface({input: output});
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
    lines.on('line', line => {
      const [address] = /http:\/\/\S+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}
