import {fork, type ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import pidusage from 'pidusage';
import {childEnv} from '../../../shared/child-env.ts';
import {InputError} from '../../../shared/fault.ts';
import {nodeFlags} from '../../../shared/node-flags.ts';
import type {Freeze} from '../../read/freezes.ts';
import type {Answer, Tables} from '../kind.ts';
import type {QueryProduct} from './answer.ts';
import type {Reply, Request} from './asker.ts';
import {MEMORY_GB, SECONDS} from './fault.ts';

/** The most that a statement may use. */
export interface Limits {
  /** Memory beside that of the tables. */
  readonly bytes: number;
  readonly ms: number;
}

/** DuckDB keeps to its own limits where it can; these stop what it cannot. */
const LIMITS: Limits = {bytes: (MEMORY_GB + 0.25) * 1e9, ms: (SECONDS + 5) * 1000};
const POLL_MS = 50;
const SCRIPT = new URL('./asker.ts', import.meta.url);

/**
 * Frozen tables in a process of their own, which answers one product after the other. Where a query takes it down, or has to be stopped
 * with it, that is a fault of the product, and the next product starts another.
 */
export class QueryProcess implements Tables<QueryProduct> {
  readonly #root: string;
  readonly #freezes: ReadonlyMap<string, Freeze>;
  readonly #limits: Limits;
  readonly #scratch = join(tmpdir(), `frozen-${randomUUID()}`);
  #child: ChildProcess | undefined;
  /** Bytes that the process held when the statement under way began. */
  #bytes = 0;

  constructor(root: string, freezes: ReadonlyMap<string, Freeze>, limits = LIMITS) {
    [this.#root, this.#freezes, this.#limits] = [root, freezes, limits];
  }

  /** Throws `InputError` where a query is refused, takes too much, or ends the process. */
  async answer(product: QueryProduct): Promise<Answer> {
    const child = isRunning(this.#child) ? this.#child : await this.#open(product);
    const reply = await this.#ask(child, {kind: 'answer', product}, product);
    if (reply.kind !== 'answered') throw new Error(`a product was answered with ${reply.kind}`);
    return reply.answer;
  }

  close(): void {
    if (this.#child) this.#leave(this.#child);
  }

  /** The next product starts another. */
  #leave(child: ChildProcess): void {
    if (this.#child === child) this.#child = undefined;
    if (child.connected) child.disconnect();
  }

  async #start({file}: QueryProduct): Promise<ChildProcess> {
    try {
      const child = fork(SCRIPT, {
        serialization: 'advanced',
        // What it prints when it is killed is of no use to people.
        env: childEnv(),
        execArgv: nodeFlags(SCRIPT),
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      // What cannot be sent to it is told by its end.
      child.on('error', () => undefined);
      await once(child, 'spawn');
      return child;
    } catch (cause) {
      const rule = `no process can be started that answers queries (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`;
      throw new InputError({file, rule}, {cause, final: true, ofMachine: true});
    }
  }

  async #open(product: QueryProduct): Promise<ChildProcess> {
    const child = await this.#start(product);
    this.#child = child;
    const tables = {root: this.#root, freezes: this.#freezes, scratch: this.#scratch};
    try {
      await this.#ask(child, {kind: 'open', ...tables, file: product.file}, product);
      return child;
    } catch (error) {
      this.#leave(child);
      throw error;
    }
  }

  #ask(child: ChildProcess, request: Request, {file}: QueryProduct): Promise<Reply> {
    let watch = {field: 'figures', since: performance.now()};
    let poll: NodeJS.Timeout | undefined;
    let stopped: string | undefined;
    const stop = (rule: string) => {
      stopped = rule;
      child.kill('SIGKILL');
    };
    const look = async () => {
      const {bytes, ms} = this.#limits;
      if (performance.now() - watch.since > ms) stop(`takes longer than ${SECONDS} seconds`);
      const {memory} = await usage(child);
      if (memory - this.#bytes > bytes) stop(`needs more than the ${MEMORY_GB}GB of memory that a query has`);
      else poll?.refresh();
    };
    return new Promise<Reply>((resolve, reject) => {
      child.on('message', (reply: Reply) => {
        if (reply.kind === 'asking') {
          watch = {field: reply.field, since: performance.now()};
          void usage(child).then(({memory}) => (this.#bytes = memory));
        } else if (reply.kind === 'broken') reject(new Error(reply.stack));
        else if (reply.kind !== 'refused') resolve(reply);
        else {
          if (reply.refusal.final) this.#leave(child);
          // The next product starts another process, so it is not final.
          reject(InputError.merged([{...reply.refusal, final: false}]));
        }
      });
      child.once('exit', (code, signal) => {
        this.#leave(child);
        rmSync(this.#scratch, {recursive: true, force: true}); // it does so itself, unless it was killed
        const rule = stopped ?? `ends the process that answers it (${signal ?? `exit code ${code ?? 'unknown'}`})`;
        reject(new InputError({file, field: watch.field, rule}, {ofMachine: true}));
      });
      child.send(request);
      if (request.kind === 'answer') poll = setTimeout(() => void look(), POLL_MS);
    }).finally(() => {
      clearTimeout(poll);
      poll = undefined;
      for (const event of ['message', 'exit']) child.removeAllListeners(event);
    });
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child?.connected === true && child.exitCode === null && child.signalCode === null;
}

/** The memory that a process uses; 0 where it is gone. */
function usage({pid}: ChildProcess): Promise<{memory: number}> {
  return pidusage(pid ?? 0).catch(() => ({memory: 0}));
}
