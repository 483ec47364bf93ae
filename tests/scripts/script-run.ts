import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {FROZEN, PROJECT} from '../project.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** How long a command may take before it is ended: a bound for what hangs, and no measure of speed. */
const MAX_MS = 180_000;

/** Runs a command of the publisher as a process of its own. */
export function runScript(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return runNode([FROZEN, name, ...args], env);
}

/** Runs Node in a process of its own. */
export async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    env: {...process.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return {code, out, err};
}
