import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import type {Readable} from 'node:stream';
import {childEnv} from '../../shared/child-env.ts';

/**
 * Becomes the program, beside a watcher that reads from this process until there is nobody left to write: then the
 * program is killed. A pipe closes however its owner ends, SIGKILL included, which no handler of signals can say.
 */
const leash = 'exec 3<&0; { cat <&3; kill -9 $$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** A program that never outlives this process. */
export interface Leashed {
  readonly stdout: Readable;
  /** Ends the program and resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/** Starts a program that never outlives this process, out of reach of the terminal's own signals. */
export function leashed(program: string, args: readonly string[]): Leashed {
  const child = spawn('sh', ['-c', leash, 'sh', program, ...args], {
    detached: true,
    env: childEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  return {stdout: child.stdout, stop: () => stop(child, exited)};
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await exited;
  child.stdin?.destroy();
}
