import {InputError, mapAll, refuse, type Fault} from '../../shared/fault.ts';
import type {Answer, Content, EventsKind, Kind, Product, RowsKind, TablesKind} from '../kinds/kind.ts';
import type {Snapshot} from '../products/source-groups.ts';
import {checkDigest, checkReadable, type OnBytes} from '../read/digest.ts';
import type {Freeze} from '../read/freezes.ts';
import {scan} from '../rows/scan.ts';
import {Table} from '../rows/table.ts';
import type {BuildContext} from './compose-groups.ts';

/** A request to a product's kind: its content at one `as_of`. */
export interface Question<K extends Kind = Kind> {
  readonly product: Product;
  readonly kind: K;
  readonly snapshot: Snapshot;
  readonly published: boolean;
}

/** The answers of the kinds. An answer for an earlier snapshot may be missing: see `skipIfHistorical`. */
type Contents = readonly (readonly [Question, Content])[];

/** The answers to questions. The next question is sent to the process for queries while earlier answers are composed. */
export interface Answers {
  /** Returns the answer to a question, which may be missing for an earlier snapshot. Throws `InputError` if it was refused. */
  of(question: Question): Promise<Content | undefined>;
  /** Throws `InputError` for the statements whose results depend on the order of rows, once all questions are answered. */
  checkSteady(): Promise<void>;
  /** Sends no further questions to the process for queries. */
  [Symbol.dispose](): void;
}

/** Returns a callback for the number of further bytes that were read of a freeze. */
export type OnRead = (freeze: Freeze) => OnBytes;

/**
 * Reads each freeze once, for all questions about it, and then begins to ask tables. Throws `InputError` with the errors of all freezes.
 */
export async function answersOf(
  context: BuildContext,
  questions: readonly Question[],
  freezes: readonly Freeze[],
  onRead: OnRead,
): Promise<Answers> {
  const fromFreezes = await mapAll(freezes, async freeze => {
    const about = questions.filter(({snapshot}) => [...snapshot.freezes.values()].includes(freeze));
    const contents = await fromFreeze(context, freeze, about, onRead(freeze));
    return contents.map(([question, content]) => [question, withoutOldRows(question, content)] as const);
  });
  const contents = new Map(fromFreezes.flat());
  const stop = new AbortController();
  const asked = askTables(context, tableSets(questions), stop.signal);
  return {
    of: async question => contents.get(question) ?? (await asked.get(question))?.content,
    async checkSteady() {
      const outcomes = await Promise.allSettled(asked.values());
      // Reported once for each statement, at the last snapshot that shows it. The publisher can change a query, so no snapshot is left out
      // of the history because of it.
      const unsteady = [...asked.keys()].flatMap((question, index) => {
        const outcome = outcomes[index];
        const answer = outcome?.status === 'fulfilled' ? outcome.value : undefined;
        return (answer?.unsteady ?? []).map(fault => atFreeze(question, fault));
      });
      refuse([...new Map(unsteady.map(fault => [`${fault.file ?? ''} ${fault.field ?? ''}`, fault])).values()]);
    },
    [Symbol.dispose]() {
      stop.abort();
    },
  };
}

/** For earlier snapshots keep only the figures, to bound memory. */
function withoutOldRows({published}: Question, content: Content): Content {
  const none = {sample: {}, examples: [], paidContent: {type: 'rows', rows: [], total: 0, formats: []}} as const;
  return published ? content : {...content, ...none};
}

/** Checks the digest and the rows of a freeze in parallel. Reports both, a wrong digest first, because it explains the errors in rows. */
async function fromFreeze(
  context: BuildContext,
  freeze: Freeze,
  questions: readonly Question[],
  onBytes: OnBytes,
): Promise<Contents> {
  const [events, rows] = [askedOf(questions, 'events'), askedOf(questions, 'rows')];
  // Checked first, because otherwise each of the readers below would report an unreadable file.
  await checkReadable(freeze);
  const settled = await Promise.allSettled<Contents>([
    checkDigest(freeze, onBytes).then(() => []),
    events.length > 0 ? fromEvents(freeze, events) : [],
    // Rows are checked even if no figure needs this scan, because queries read them too.
    rows.length > 0 || events.length === 0 ? fromRows(context, freeze, rows) : [],
  ]);
  const contents = await mapAll(settled, result => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return contents.flat();
}

/** Returns the questions whose kind reads this: events, rows or tables. */
function askedOf<R extends Kind['reads']>(questions: readonly Question[], reads: R) {
  return questions.filter((one): one is Question<Extract<Kind, {reads: R}>> => one.kind.reads === reads);
}

async function fromEvents(freeze: Freeze, questions: readonly Question<EventsKind>[]): Promise<Contents> {
  const events = await Promise.resolve().then(() => questions[0]?.kind.read(freeze) ?? []);
  return questions.map(question => [question, question.kind.answer(question.product, events)]);
}

async function fromRows(
  context: BuildContext,
  freeze: Freeze,
  questions: readonly Question<RowsKind>[],
): Promise<Contents> {
  const table = new Table(freeze);
  const asked = await mapAll(questions, async question => {
    const inquiry = await skipIfHistorical(question, () => question.kind.ask(question.product, freeze, table));
    return inquiry ? [[question, inquiry] as const] : [];
  });
  const inquiries = asked.flat();
  const read = await scan(
    await context.database(),
    table,
    inquiries.map(([, inquiry]) => inquiry),
  );
  const answers = await mapAll(inquiries, async ([question, inquiry]) => {
    const content = await skipIfHistorical(question, () => inquiry.answer(read));
    return content ? [[question, content] as const] : [];
  });
  return answers.flat();
}

function tableSets(questions: readonly Question[]): readonly (readonly Question<TablesKind>[])[] {
  const sets = new Map<string, Question<TablesKind>[]>();
  for (const question of askedOf(questions, 'tables')) {
    const {kind, snapshot} = question;
    const key = JSON.stringify([kind.name, [...snapshot.freezes].map(([name, {folder}]) => [name, folder])]);
    const set = sets.get(key) ?? [];
    set.push(question);
    sets.set(key, set);
  }
  return [...sets.values()];
}

/** Asks all questions, one at a time, also after one was refused. After an error that is final, all others are rejected with it. */
function askTables(
  context: BuildContext,
  sets: readonly (readonly Question<TablesKind>[])[],
  signal: AbortSignal,
): ReadonlyMap<Question, Promise<Answer | undefined>> {
  const asked = new Map<Question, Promise<Answer | undefined>>();
  let previous: Promise<unknown> = Promise.resolve();
  for (const questions of sets) {
    const [{kind, snapshot}] = questions as [Question<TablesKind>];
    const tables = context.tables(kind);
    for (const question of questions) {
      const answer = previous.then(async () => {
        signal.throwIfAborted();
        const stop = () => {
          tables.close();
        };
        signal.addEventListener('abort', stop);
        try {
          const found = await skipIfHistorical(question, () => tables.answer(question.product, snapshot.freezes));
          return found && {...found, content: withoutOldRows(question, found.content)};
        } finally {
          signal.removeEventListener('abort', stop);
        }
      });
      asked.set(question, answer);
      previous = answer.catch((error: unknown) => {
        if (!(error instanceof InputError) || error.final) throw error;
      });
    }
    previous.catch(() => undefined); // `asked` has the error too
  }
  return asked;
}

/** Adds the frozen files and the `as_of` to an error of an earlier freeze. */
function atFreeze({published, snapshot: {freezes, as_of}}: Question, fault: Fault): Fault {
  if (published) return fault;
  const files = [...freezes.values()].map(({files: [file, ...others], folder}) => (others.length > 0 ? folder : file));
  return {...fault, rule: `over the earlier freeze ${[...new Set(files)].join(', ')} (as_of ${as_of}) ${fault.rule}`};
}

/**
 * Returns the answer to a question. The published snapshot must be answered. An earlier freeze may lack a column or class that was added
 * later and can never be edited, so a question that it cannot answer returns undefined and is left out of the history. Exceeding the limits
 * of this machine is an error, because otherwise machines would publish different histories.
 */
async function skipIfHistorical<T>(question: Question, ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (cause) {
    if (question.published || !(cause instanceof InputError) || cause.final) throw cause;
    if (!cause.ofMachine) return undefined;
    const fix =
      'Change the statement so that it needs less time or memory. The history must not omit a freeze because of a limit.';
    const faults = cause.faults.map(fault => atFreeze(question, {...fault, fix}));
    throw new InputError(faults, {cause});
  }
}
