import {mkdirSync, rmSync} from 'node:fs';
import {on} from 'node:events';
import {InputError, type Refusal} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import type {Answer} from '../kind.ts';
import {MEMORY_RULE, refusalOf, SECONDS_RULE} from './fault.ts';
import {answer, type QueryProduct, type Sessions, type Statement} from './answer.ts';
import {BY_KEY, openSession, REVERSED, type SessionOptions, type Session} from './session.ts';

// The process that runs queries. SQL can exhaust memory, run forever or crash DuckDB, which must end only this process.

/** The limits of a statement. Memory is counted in addition to that of the tables. */
export interface Limits {
  readonly bytes: number;
  readonly ms: number;
}

/** A message to the process: a request for the content of a product. */
export interface Request {
  readonly product: QueryProduct;
  readonly limits: Limits;
  /** Tables that replace the open ones. */
  readonly tables?: ReadonlyMap<string, Freeze> | undefined;
}

/** A message from the process: the statement that runs next, and finally the result of the request. */
export type Reply =
  | {readonly kind: 'running'; readonly field: Statement}
  | {readonly kind: 'answered'; readonly answer: Answer}
  /** After a final refusal the process answers no further requests. */
  | {readonly kind: 'refused'; readonly refusal: Refusal}
  | {readonly kind: 'broken'; readonly stack: string};

const POLL_MS = 50;

/**
 * Answers requests until the parent process disconnects.
 * @param scratch a folder for temporary files, removed with this process
 */
async function answerAll(scratch: string): Promise<void> {
  let isBusy = false;
  // process.exit would wait for DuckDB's threads, so a busy process kills itself when its parent is gone.
  process.once('disconnect', () => {
    rmSync(scratch, {recursive: true, force: true});
    if (isBusy) process.kill(process.pid, 'SIGKILL');
  });
  const requests = on(process, 'message', {close: ['disconnect']}) as AsyncIterable<[Request]>;
  let open: Awaited<ReturnType<typeof openTables>> | undefined;
  for await (const [{product, limits, tables}] of requests) {
    isBusy = true;
    try {
      if (tables) {
        await open?.close();
        open = undefined;
        makeScratch(scratch);
        open = await openTables(tables, scratch, product.file);
      }
      const limited = <T>(field: Statement, run: () => Promise<T>) => runLimited(product.file, field, limits, run);
      if (open) send({kind: 'answered', answer: await answer(product, open, limited)});
    } catch (error) {
      if (!(error instanceof InputError)) send({kind: 'broken', stack: (error as Error).stack ?? String(error)});
      else send({kind: 'refused', refusal: {...error.refusal(), final: error.final || !open}});
    } finally {
      isBusy = false;
    }
  }
  await open?.close();
}

/** Opens the tables of a group of products. Most products need only the first of the two orders. */
async function openTables(freezes: ReadonlyMap<string, Freeze>, scratch: string, file: string) {
  const open = async (options: SessionOptions) => {
    try {
      return await openSession(freezes, scratch, options);
    } catch (error) {
      throw refusalOf(error, file);
    }
  };
  const byKey = await open(BY_KEY);
  let reversed: Promise<Session> | undefined;
  return {
    ...{freezes, byKey},
    reversed: () => (reversed ??= open(REVERSED)),
    close: async () => {
      await byKey.close();
      // If it could not be opened, that error was reported for the product that needed it.
      const other = await reversed?.catch(() => undefined);
      await other?.close();
    },
  } satisfies Sessions & {close: unknown};
}

/** Runs a statement, and ends this process if it exceeds the limits. */
async function runLimited<T>(file: string, field: Statement, limits: Limits, run: () => Promise<T>): Promise<T> {
  send({kind: 'running', field});
  const [start, before] = [performance.now(), process.memoryUsage.rss()];
  const timer = setInterval(() => {
    const isSlow = performance.now() - start > limits.ms;
    if (!isSlow && process.memoryUsage.rss() - before <= limits.bytes) return;
    clearInterval(timer);
    const error = new InputError(
      {code: 'FZ304', file, field, rule: isSlow ? SECONDS_RULE : MEMORY_RULE},
      {final: true, ofMachine: true},
    );
    send({kind: 'refused', refusal: error.refusal()}, () => process.kill(process.pid, 'SIGKILL'));
  }, POLL_MS);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}

/** Creates an empty folder that only this user can read. */
function makeScratch(path: string): void {
  process.umask(0o077);
  rmSync(path, {recursive: true, force: true});
  try {
    mkdirSync(path);
  } catch {
    // Few lists need the folder. If one does, DuckDB reports that it is missing.
  }
}

function send(reply: Reply, sent?: () => void): void {
  process.send?.(reply, undefined, undefined, sent);
}

await answerAll(process.argv[2] ?? '');
