import {fork, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {onExit} from 'signal-exit';
import {nodeFlags} from '../../shared/node-flags.ts';
import {newQueue} from '../../shared/queue.ts';
import {MAX_MEBIBYTES, MAX_SECONDS} from './bounds.ts';
import {failed} from './check.ts';
import type {Examined, Task} from './examiner-process.ts';

const SCRIPT = new URL('./examiner-process.ts', import.meta.url);

/**
 * Examines untrusted input in a separate process, one task at a time. JSON, and in particular schemas, can be written to use unlimited time
 * or memory. In that case, the process is killed and the check fails.
 */
export class Examiner implements AsyncDisposable {
  #child: ChildProcess | undefined;
  readonly #inTurn = newQueue();
  #isDisposed = false;
  readonly #until: AbortSignal;
  readonly #mebibytes: number;

  /** `until` is aborted when the time for all checks is over. `mebibytes` is the memory for the objects of the process. */
  constructor(until: AbortSignal, mebibytes = MAX_MEBIBYTES) {
    this.#until = until;
    this.#mebibytes = mebibytes;
  }

  /**
   * Returns the result, or a failed check if a limit was exceeded. Waits for earlier calls, because answers do not say which task they are
   * for. The time limit starts after the wait.
   */
  examine(task: Task): Promise<Examined> {
    return this.#inTurn(() => this.#examine(task));
  }

  async #examine(task: Task): Promise<Examined> {
    // AbortSignal.timeout() may be garbage-collected within AbortSignal.any(), and then it never aborts (nodejs/node#57736).
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort();
    }, MAX_SECONDS * 1000);
    const signal = AbortSignal.any([limit.signal, this.#until]);
    const isOver = signal.aborted || this.#isDisposed;
    const answer = isOver ? 'late' : await answerOf((this.#child ??= start(this.#mebibytes)), task, signal);
    clearTimeout(timer);
    if (typeof answer === 'object') return answer;
    await this.#kill();
    const why = answer === 'ended' ? `needs more than ${this.#mebibytes} MiB` : `takes more than ${MAX_SECONDS} s`;
    const detail = this.#until.aborted
      ? 'the time for all checks is over'
      : `checking it ${why}, more than a valid document needs`;
    return {checks: [failed('effort', task.subject, detail)]};
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    return this.#kill();
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** Returns the answer; `ended` if the process ended, which happens if it runs out of memory; or `late`. */
async function answerOf(child: ChildProcess, task: Task, signal: AbortSignal): Promise<Examined | 'ended' | 'late'> {
  const answered = new AbortController();
  const either = {signal: AbortSignal.any([signal, answered.signal])};
  // Errors are ignored: if the child has ended, its exit is reported.
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

function start(mebibytes: number): ChildProcess {
  const child = fork(SCRIPT, {
    execArgv: [`--max-old-space-size=${mebibytes}`, ...nodeFlags(SCRIPT)],
    serialization: 'advanced',
    // The environment may contain keys, and untrusted schemas become code in that process.
    env: {},
    // The output of V8 when memory runs out does not help users.
    stdio: ['ignore', 'ignore', process.env['FROZEN_DEBUG'] === undefined ? 'ignore' : 'inherit', 'ipc'],
  });
  // Ends the child with this process.
  child.once(
    'exit',
    onExit(() => void child.kill('SIGKILL')),
  );
  return child;
}
