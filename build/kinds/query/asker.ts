import {mkdirSync, rmSync} from 'node:fs';
import {on} from 'node:events';
import {InputError, type Refusal} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import type {Answer} from '../kind.ts';
import {refusalOf} from './fault.ts';
import {answer, type QueryProduct, type Sessions, type Statement} from './answer.ts';
import {BY_KEY, openSession, TURNED_ROUND, type Manner} from './session.ts';

// The process that answers queries. SQL can fill the memory, never end, or crash DuckDB: it takes this process with it and no other.

/** A message to the process: the first opens the tables, each further one asks for the content of a product. */
export type Request =
  | {
      readonly kind: 'open';
      readonly root: string;
      readonly freezes: ReadonlyMap<string, Freeze>;
      /** A folder for temporary files, removed at the end. */
      readonly scratch: string;
      /** Of the product that is asked for first. */
      readonly file: string;
    }
  | {readonly kind: 'answer'; readonly product: QueryProduct};

/** A message from the process: which statement of the product runs next, and at the end the result of the request. */
export type Reply =
  | {readonly kind: 'asking'; readonly field: Statement}
  | {readonly kind: 'opened'}
  | {readonly kind: 'answered'; readonly answer: Answer}
  /** If the refusal is final, DuckDB is broken and answers nothing more. */
  | {readonly kind: 'refused'; readonly refusal: Refusal}
  | {readonly kind: 'broken'; readonly stack: string};

await answerAll();

/** Answers until the process that started this one has no more questions. */
async function answerAll(): Promise<void> {
  let isBusy = false;
  let scratch: string | undefined;
  // Nobody waits for the answer, nor watches what it takes. DuckDB's threads would end what they are at before a process that exits.
  process.once('disconnect', () => {
    if (scratch !== undefined) rmSync(scratch, {recursive: true, force: true});
    if (isBusy) process.kill(process.pid, 'SIGKILL');
  });
  const requests = on(process, 'message', {close: ['disconnect']}) as AsyncIterable<[Request]>;
  let tables: {sessions: Sessions; freezes: ReadonlyMap<string, Freeze>} | undefined;
  for await (const [request] of requests) {
    isBusy = true;
    try {
      if (request.kind === 'open') {
        const {root, freezes, file} = request;
        scratch = makeScratch(request.scratch);
        const open = (manner: Manner) => openSession(root, freezes, request.scratch, manner);
        try {
          tables = {sessions: [await open(BY_KEY), await open(TURNED_ROUND)], freezes};
        } catch (error) {
          throw refusalOf(error, file);
        }
        tell({kind: 'opened'});
      } else if (tables) {
        const onAsk = (field: Statement) => {
          tell({kind: 'asking', field});
        };
        tell({kind: 'answered', answer: await answer(request.product, tables.sessions, tables.freezes, onAsk)});
      }
    } catch (error) {
      if (!(error instanceof InputError)) tell({kind: 'broken', stack: stackOf(error)});
      else tell({kind: 'refused', refusal: error.refusal()});
    } finally {
      isBusy = false;
    }
  }
  for (const session of tables?.sessions ?? []) session.close();
}

/** A folder that nobody else reads. */
function makeScratch(path: string): string {
  process.umask(0o077);
  try {
    mkdirSync(path);
  } catch {
    // Few lists need one. DuckDB tells where one does.
  }
  return path;
}

function tell(reply: Reply): void {
  process.send?.(reply);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
