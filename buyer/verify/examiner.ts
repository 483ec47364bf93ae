import {fork, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {onExit} from 'signal-exit';
import {nodeFlags} from '../../shared/node-flags.ts';
import {MAX_MEBIBYTES, MAX_SECONDS} from './bounds.ts';
import {failed} from './check.ts';
import type {Examined, Task} from './examiner-process.ts';

const SCRIPT = new URL('./examiner-process.ts', import.meta.url);

/**
 * Looks at what strangers wrote in a process of its own, one product after the other. JSON, and schemas above all, can be written so
 * that reading them takes for ever or all memory; then that process is ended and the check has failed.
 */
export class Examiner implements AsyncDisposable {
  #child: ChildProcess | undefined;
  readonly #until: AbortSignal;

  /** @param until after which nothing more is looked at */
  constructor(until: AbortSignal) {
    this.#until = until;
  }

  /** What was found; a failed check where the looking did not come to an end. To be asked once the answer before is there. */
  async examine(task: Task): Promise<Examined> {
    // AbortSignal.timeout() may be garbage-collected within AbortSignal.any(), and then it never aborts (nodejs/node#57736).
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort();
    }, MAX_SECONDS * 1000);
    const signal = AbortSignal.any([limit.signal, this.#until]);
    const answer = signal.aborted ? 'late' : await answerOf((this.#child ??= start()), task, signal);
    clearTimeout(timer);
    if (typeof answer === 'object') return answer;
    await this[Symbol.asyncDispose]();
    const why = answer === 'ended' ? `needs more than ${MAX_MEBIBYTES} MiB` : `takes more than ${MAX_SECONDS} s`;
    const detail = this.#until.aborted
      ? 'the time for all checks is over'
      : `checking it ${why}, which no honest document does`;
    return {checks: [failed('effort', task.subject, detail)]};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** The answer; or that the process ended, which running out of memory makes it do, or was too late. */
async function answerOf(child: ChildProcess, task: Task, signal: AbortSignal): Promise<Examined | 'ended' | 'late'> {
  const answered = new AbortController();
  const either = {signal: AbortSignal.any([signal, answered.signal])};
  // A child that has ended takes nothing: its exit says so.
  child.send(task, () => undefined);
  try {
    return await Promise.race([
      once(child, 'message', either).then(([examined]) => examined as Examined),
      once(child, 'exit', either).then(() => 'ended' as const),
    ]);
  } catch (error) {
    if (signal.aborted) return 'late';
    throw error;
  } finally {
    answered.abort();
  }
}

function start(): ChildProcess {
  const child = fork(SCRIPT, {
    execArgv: [`--max-old-space-size=${MAX_MEBIBYTES}`, ...nodeFlags(SCRIPT)],
    serialization: 'advanced',
    // The environment may hold keys, and a schema of a stranger becomes code in that process.
    env: {},
    // What V8 says when memory runs out is of no use to anybody.
    stdio: ['ignore', 'ignore', process.env['FROZEN_DEBUG'] === undefined ? 'ignore' : 'inherit', 'ipc'],
  });
  // It never outlives this process, however this one ends.
  child.once(
    'exit',
    onExit(() => void child.kill('SIGKILL')),
  );
  return child;
}
