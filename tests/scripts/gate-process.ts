import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {join} from 'node:path';
import {FROZEN, PROJECT} from '../project.ts';

/** A server in a separate process. `await using` stops it. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** Starts the real gate with `frozen start`. It sends no request to its facilitator before the first payment. */
export async function gateProcess(root: string): Promise<ServerProcess> {
  const args = [FROZEN, 'start', '--root', root];
  return started(spawn(process.execPath, args, {cwd: PROJECT, env: {...process.env, PORT: '0', HOST: '127.0.0.1'}}));
}

/** Starts the real `serve` for `public/`, which has no paywall. */
export async function serveProcess(root: string): Promise<ServerProcess> {
  const bin = createRequire(import.meta.url).resolve('serve/build/main.js');
  const args = [bin, '--no-clipboard', '--listen', 'tcp://127.0.0.1:0', join(root, 'public')];
  return started(spawn(process.execPath, args, {env: {...process.env, NO_UPDATE_CHECK: '1'}}));
}

/** Returns the first address that a server prints. */
export async function started(child: ChildProcess): Promise<ServerProcess> {
  const ended = once(child, 'exit');
  const [out, err] = [child.stdout, child.stderr];
  if (!out || !err) throw new Error('the server has no output');
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [out, err]) {
      createInterface(stream).on('line', line => {
        const found = /(127\.0\.0\.1|localhost):(\d+)/.exec(line);
        // npm prints the command of a script after `> `.
        if (found && !line.startsWith('> ')) resolve(`http://127.0.0.1:${found[2] ?? ''}`);
      });
    }
    child.once('exit', code => {
      reject(new Error(`the server ended with ${code ?? 'a signal'}`));
    });
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
