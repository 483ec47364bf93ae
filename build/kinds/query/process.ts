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
import type {Limits, Reply, Request} from './asker.ts';
import {MEMORY_GB, SECONDS} from './fault.ts';

/** DuckDB keeps to its own limits if it can; these stop what it cannot. */
const LIMITS: Limits = {bytes: (MEMORY_GB + 0.25) * 1e9, ms: (SECONDS + 5) * 1000};
const SCRIPT = new URL('./asker.ts', import.meta.url);

/**
 * Frozen tables in a process of their own, which answers one product after the other. If a query ends the process, or exceeds its limits,
 * that is a fault of the product, and the next product starts another process.
 */
export class QueryProcess implements Tables<QueryProduct> {
  readonly #freezes: ReadonlyMap<string, Freeze>;
  readonly #limits: Limits;
  readonly #scratch = join(tmpdir(), `frozen-${randomUUID()}`);
  #child: ChildProcess | undefined;

  constructor(freezes: ReadonlyMap<string, Freeze>, limits = LIMITS) {
    [this.#freezes, this.#limits] = [freezes, limits];
  }

  /** Throws `InputError` if a query is refused, takes too much, or ends the process. */
  async answer(product: QueryProduct): Promise<Answer> {
    const child = isRunning(this.#child) ? this.#child : await this.#open(product.file);
    const reply = await this.#ask(child, {kind: 'answer', product}, product.file);
    if (reply.kind !== 'answered') throw new Error(`a product was answered with ${reply.kind}`);
    return reply.answer;
  }

  close(): void {
    if (this.#child) this.#leave(this.#child);
  }

  /** The next product starts another process. */
  #leave(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    if (child.connected) child.disconnect();
  }

  async #open(file: string): Promise<ChildProcess> {
    const child = await start(file);
    this.#child = child;
    const [freezes, scratch, limits] = [this.#freezes, this.#scratch, this.#limits];
    try {
      await this.#ask(child, {kind: 'open', freezes, scratch, file, limits}, file);
      return child;
    } catch (error) {
      this.#leave(child);
      throw error;
    }
  }

  /** The result of a request. Throws what the process reports, or how it ended. */
  async #ask(child: ChildProcess, request: Request, file: string): Promise<Reply> {
    let field = 'figures';
    child.send(request);
    const replies = child.connected ? (on(child, 'message', {close: ['disconnect']}) as AsyncIterable<[Reply]>) : [];
    for await (const [reply] of replies) {
      if (reply.kind === 'broken') throw new Error(reply.stack);
      if (reply.kind === 'refused') {
        if (reply.refusal.final) this.#leave(child);
        // The next product starts another process, so it is not final.
        throw InputError.merged([{...reply.refusal, final: false}]);
      }
      if (reply.kind !== 'asking') return reply;
      field = reply.field;
    }
    this.#leave(child);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(this.#scratch, {recursive: true, force: true}); // it does so itself, unless it was killed
    const rule = `ends the process that answers it (${child.signalCode ?? `exit code ${child.exitCode ?? 'unknown'}`})`;
    throw new InputError({file, field, rule}, {ofMachine: true});
  }
}

async function start(file: string): Promise<ChildProcess> {
  try {
    const child = fork(SCRIPT, {
      serialization: 'advanced',
      env: childEnv(),
      execArgv: nodeFlags(SCRIPT),
      // What it prints when it is killed does not help people.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // If a message cannot be sent to it, its end is reported.
    child.on('error', () => undefined);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const rule = `no process can be started that answers queries (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`;
    throw new InputError({file, rule}, {cause, final: true, ofMachine: true});
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child?.connected === true && child.exitCode === null && child.signalCode === null;
}
