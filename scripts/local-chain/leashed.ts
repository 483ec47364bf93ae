import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {childEnv} from '../../shared/child-env.ts';

/**
 * Replaces the shell by the program. A background process reads a pipe from this process and kills the program when the pipe closes, which
 * also happens after SIGKILL.
 */
const leash = 'exec 3<&0; { cat <&3; kill -9 $$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts a program that ends with this process. Signals from the terminal do not reach it. */
export function leashed(program: string, args: readonly string[]) {
  const child = spawn('sh', ['-c', leash, 'sh', program, ...args], {
    detached: true,
    env: childEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  return {
    stdout: child.stdout,
    /** Ends the program. Resolves when it has ended. */
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      child.stdin.destroy();
    },
  };
}
