import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as delay} from 'node:timers/promises';
import {FROZEN, PROJECT} from '../project.ts';

/** A process of `frozen dev`. `await using` stops it. */
export interface DevProcess extends AsyncDisposable {
  /** The address on which it listens. */
  readonly url: string;
  readonly pid: number;
  /** The output so far, on both streams. */
  readonly written: () => string;
  /** Resolves when the output from a position (`since`) on matches. Rejects if the process ends before that. */
  wrote(what: RegExp, since?: number): Promise<void>;
  /** Stops it like Ctrl-C, and resolves with its exit code. */
  interrupt(): Promise<number | null>;
}

/** The time limit for an expected event. It ends tests that hang, and does not measure speed. */
const MAX_MS = 60_000;

/** Starts the command, and resolves when it listens. Rejects if it ends before that. */
export async function devProcess(root: string, ...args: string[]): Promise<DevProcess> {
  const child = spawn(process.execPath, [FROZEN, 'dev', '--root', root, ...args], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (written += String(chunk)));
  const wrote = async (what: RegExp, since = 0) => {
    const until = Date.now() + MAX_MS;
    while (!what.test(written.slice(since))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`no ${String(what)} in: ${written}`);
      await delay(20);
    }
  };
  await wrote(/^Listening on .*$/m);
  return {
    url: /^Listening on (\S+)$/m.exec(written)?.[1] ?? '',
    pid: child.pid ?? 0,
    written: () => written,
    wrote,
    async interrupt() {
      child.kill('SIGINT');
      await ended;
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
