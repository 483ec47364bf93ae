import {fork, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {nodeFlags} from '../../shared/node-flags.ts';
import {MAX_MEBIBYTES, MAX_SECONDS} from './bounds.ts';
import {tieToThisProcess} from './tied-child.ts';
import {failed} from './check.ts';
import type {Examined, Task} from './examiner-process.ts';

const SCRIPT = new URL('./examiner-process.ts', import.meta.url);

interface Running {
  readonly child: ChildProcess;
  readonly end: () => Promise<void>;
}

/**
 * Looks at what strangers wrote in a process of its own, one product after the other. JSON, and schemas above all, can be written so
 * that reading them takes for ever or all memory; then that process is ended and the check has failed.
 */
export class Examiner implements AsyncDisposable {
  #running: Running | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #until: AbortSignal;

  /** @param until after which nothing more is looked at */
  constructor(until: AbortSignal) {
    this.#until = until;
  }

  /** What was found; a failed check named after `subject` where the looking did not come to an end. */
  async examine(task: Task, subject: string): Promise<Examined> {
    const result = this.#last.then(() => this.#run(task, subject));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.end();
    this.#running = undefined;
  }

  async #run(task: Task, subject: string): Promise<Examined> {
    const limit = AbortSignal.timeout(MAX_SECONDS * 1000);
    const signal = AbortSignal.any([limit, this.#until]);
    const answer = signal.aborted ? 'late' : await answerOf((this.#running ??= start()).child, task, signal);
    if (typeof answer === 'object') return answer;
    await this[Symbol.asyncDispose]();
    const why = answer === 'ended' ? `needs more than ${MAX_MEBIBYTES} MiB` : `takes more than ${MAX_SECONDS} s`;
    const detail = this.#until.aborted
      ? 'the time for all checks is over'
      : `checking it ${why}, which no honest document does`;
    return {checks: [failed('effort', subject, detail)]};
  }
}

/** The answer; or that the process ended, which running out of memory makes it do, or was too late. */
async function answerOf(child: ChildProcess, task: Task, signal: AbortSignal): Promise<Examined | 'ended' | 'late'> {
  const answered = new AbortController();
  const either = {signal: AbortSignal.any([signal, answered.signal])};
  const message = once(child, 'message', either).then(([examined]) => examined as Examined);
  const ended = once(child, 'exit', either).then(() => 'ended' as const);
  // A child that has ended takes nothing: `ended` says so.
  child.send(task, () => undefined);
  try {
    return await Promise.race([message, ended]);
  } catch (error) {
    if (signal.aborted) return 'late';
    throw error;
  } finally {
    answered.abort();
    await Promise.allSettled([message, ended]);
  }
}

function start(): Running {
  const child = fork(SCRIPT, {
    execArgv: [`--max-old-space-size=${MAX_MEBIBYTES}`, ...nodeFlags(SCRIPT)],
    serialization: 'advanced',
    // What V8 says when memory runs out is of no use to anybody.
    stdio: ['ignore', 'ignore', process.env['DEBUG'] === undefined ? 'ignore' : 'inherit', 'ipc'],
  });
  return {child, end: tieToThisProcess(child)};
}
