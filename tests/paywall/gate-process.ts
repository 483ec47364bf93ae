import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {resolve} from 'node:path';
import {plainErrors} from '../plain-errors.ts';
import {FROZEN} from '../project.ts';

const project = resolve(import.meta.dirname, '../..');

/** A process of `frozen start`. */
export interface GateProcess {
  readonly pid: number | undefined;
  /** The address on which it listens. Rejects if the process ends before that. */
  readonly url: Promise<string>;
  /** Resolves with the exit code when the process has ended. */
  readonly exitCode: Promise<number | null>;
  /** The output so far. Errors have no codes and remedies. */
  readonly written: {readonly out: string; readonly err: string};
  signal(name: NodeJS.Signals): void;
  /** Closes its standard output, as if the next program in a pipe had ended. */
  closeOutput(): void;
}

/** Starts the gate with arguments and an environment. Of our environment it only gets the PATH. */
export function spawnGate(args: readonly string[], env: Record<string, string> = {}): GateProcess {
  const child = spawn(process.execPath, [FROZEN, 'start', ...args], {
    cwd: project,
    env: {PATH: process.env['PATH'], PORT: '0', ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  const written = {
    out: '',
    get err() {
      return plainErrors(errors);
    },
  };
  child.stdout.on('data', chunk => (written.out += String(chunk)));
  child.stderr.on('data', chunk => (errors += String(chunk)));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const url = new Promise<string>((found, failed) => {
    createInterface({input: child.stderr}).on('line', line => {
      const [, address] = /^Listening on (\S+)$/.exec(line) ?? [];
      if (address) found(address);
    });
    void exitCode.then(code => {
      failed(new Error(`the gate ended with ${String(code)}: ${written.err}`));
    });
  });
  url.catch(() => undefined); // A test of a refusal does not wait for the address.
  return {
    pid: child.pid,
    url,
    exitCode,
    written,
    signal: name => child.kill(name),
    closeOutput: () => child.stdout.destroy(),
  };
}
