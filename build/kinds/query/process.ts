import {fork, type ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {on, once} from 'node:events';
import {rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {childEnv} from '../../../shared/child-env.ts';
import {InputError} from '../../../shared/fault.ts';
import {nodeFlags} from '../../../shared/node-flags.ts';
import type {Freeze} from '../../read/freezes.ts';
import type {Answer, Tables} from '../kind.ts';
import type {QueryProduct} from './answer.ts';
import type {Limits, Reply, Request} from './child-process.ts';
import {MEMORY_GB, SECONDS} from './fault.ts';

/** DuckDB limits its memory too, but cannot enforce that in all cases. */
const LIMITS: Limits = {bytes: (MEMORY_GB + 0.25) * 1e9, ms: SECONDS * 1000};
const SCRIPT = new URL('./child-process.ts', import.meta.url);

/**
 * A separate process with frozen tables, which answers one product after the other. If a query ends the process or exceeds its limits, that
 * is an error of the product, and the next product starts a new process.
 */
export class QueryProcess implements Tables<QueryProduct> {
  readonly #limits: Limits;
  readonly #scratch = join(tmpdir(), `frozen-${randomUUID()}`);
  #child: ChildProcess | undefined;
  /** The tables that the process has. */
  #freezes: ReadonlyMap<string, Freeze> | undefined;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Throws `InputError` if a query is refused, exceeds a limit, or ends the process (with its exit code or signal). */
  async answer(product: QueryProduct, freezes: ReadonlyMap<string, Freeze>): Promise<Answer> {
    const {file} = product;
    const running = isRunning(this.#child) ? this.#child : undefined;
    const child = running ?? (await start(file, this.#scratch, forked => (this.#child = forked)));
    const tables = running && this.#freezes === freezes ? undefined : freezes;
    this.#freezes = freezes;
    let field = 'figures';
    if (child.connected) child.send({product, limits: this.#limits, tables} satisfies Request);
    const replies = child.connected ? (on(child, 'message', {close: ['disconnect']}) as AsyncIterable<[Reply]>) : [];
    for await (const [reply] of replies) {
      if (reply.kind === 'answered') return reply.answer;
      if (reply.kind === 'broken') {
        this.#leave(child);
        throw new Error(reply.stack);
      }
      if (reply.kind === 'refused') {
        if (reply.refusal.final) this.#leave(child);
        // Not final, because the next product starts a new process.
        throw InputError.merged([{...reply.refusal, final: false}]);
      }
      field = reply.field;
    }
    this.#leave(child);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(this.#scratch, {recursive: true, force: true}); // a process that was killed does not remove it
    const rule = `ended the process that ran it (${child.signalCode ?? `exit code ${child.exitCode ?? 'unknown'}`})`;
    throw new InputError({code: 'FZ304', file, field, rule}, {ofMachine: true});
  }

  close(): void {
    if (this.#child) this.#leave(this.#child);
  }

  /** Ends the process. The next product starts a new one. */
  #leave(child: ChildProcess): void {
    if (this.#child === child) this.#child = this.#freezes = undefined;
    if (child.connected) child.disconnect();
  }
}

/** @param onForked receives the process at once, so that it can be ended while it starts */
async function start(file: string, scratch: string, onForked: (child: ChildProcess) => void): Promise<ChildProcess> {
  try {
    const child = fork(SCRIPT, [scratch], {
      serialization: 'advanced',
      env: childEnv(),
      execArgv: nodeFlags(SCRIPT),
      // Its output when it is killed does not help users.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // If a message cannot be sent, the end of the process is reported instead.
    child.on('error', () => undefined);
    onForked(child);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const rule = `cannot be started (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`;
    throw new InputError(
      {code: 'FZ304', file, subject: 'The process for queries', rule},
      {cause, final: true, ofMachine: true},
    );
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child?.connected === true && child.exitCode === null && child.signalCode === null;
}
