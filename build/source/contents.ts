import {all, InputError, mapAll, type Fault} from '../../shared/fault.ts';
import {withInput} from '../disk/plain-file.ts';
import type {Content, EventsKind, Kind, Product, RowsKind, TablesKind} from '../kinds/kind.ts';
import type {Moment} from '../products/units.ts';
import {checkDigest, type OnBytes} from '../read/digest.ts';
import {readEvents} from '../read/events.ts';
import type {Freeze} from '../read/freezes.ts';
import {scan} from '../rows/scan.ts';
import {Table} from '../rows/table.ts';
import type {Workplace} from './compose-units.ts';

/** What is asked of a product's kind: its content at one moment. */
export interface Question<K extends Kind = Kind> {
  readonly product: Product;
  readonly kind: K;
  readonly moment: Moment;
  /** Whether it is the moment that is published. */
  readonly published: boolean;
}

/** What the kinds answered. An earlier moment may be missing: see `orLeftOut`. */
export type Contents = ReadonlyMap<Question, Content>;

/** Told how many further bytes of a freeze were read. */
export type OnRead = (freeze: Freeze) => OnBytes;

/**
 * Reads every one of these freezes once, whatever the number of questions about it, and answers all questions. Throws `InputError` with
 * the faults of all freezes and products.
 */
export async function contentsOf(
  place: Workplace,
  questions: readonly Question[],
  freezes: readonly Freeze[],
  onRead: OnRead,
): Promise<Contents> {
  const fromFreezes = await mapAll(freezes, async freeze => {
    const about = questions.filter(({moment}) => [...moment.freezes.values()].includes(freeze));
    return keptOf(await fromFreeze(place, freeze, about, onRead(freeze)));
  });
  // Told of every moment, and once of each statement: a query can be mended, so no moment may go missing for it.
  const unsteady = new Map<string, Fault>();
  const [fromTables] = await all(
    () => mapAll(tableSets(questions), async set => keptOf(await askTables(set, unsteady))),
    () =>
      mapAll(unsteady.values(), fault => {
        throw new InputError(fault);
      }),
  );
  return new Map([...fromFreezes, ...fromTables].flat());
}

/** Keeps of earlier moments the figures alone: the rows of many freezes would fill the memory. */
function keptOf(answers: Contents): (readonly [Question, Content])[] {
  const none = {sample: {}, examples: [], goods: {type: 'rows', rows: [], total: 0, formats: []}} as const;
  return [...answers].map(([question, content]) => [question, question.published ? content : {...content, ...none}]);
}

/** Checks the digest of a freeze beside its rows, and tells the faults of both: a changed byte before what it has done to rows. */
async function fromFreeze(
  place: Workplace,
  freeze: Freeze,
  questions: readonly Question[],
  onBytes: OnBytes,
): Promise<Contents> {
  const [events, rows] = [questions.filter(isOfEvents), questions.filter(isOfRows)];
  // A file that must not be read would be reported by each of the readers below.
  await mapAll(freeze.files, file => {
    withInput(freeze.root, file, () => undefined);
  });
  const [digested, ...answered] = await Promise.allSettled([
    checkDigest(freeze, onBytes),
    events.length > 0 ? fromEvents(freeze, events) : none,
    // Rows are checked even where nobody asks for a figure of this scan: queries read them too.
    rows.length > 0 || events.length === 0 ? fromRows(place, freeze, rows) : none,
  ]);
  const contents = await mapAll([digested, ...answered], result => {
    if (result.status === 'rejected') throw result.reason;
    return result.value instanceof Map ? [...(result.value as Contents)] : [];
  });
  return new Map(contents.flat());
}

const none: Contents = new Map();

function isOfEvents(question: Question): question is Question<EventsKind> {
  return question.kind.reads === 'events';
}

function isOfRows(question: Question): question is Question<RowsKind> {
  return question.kind.reads === 'rows';
}

function isOfTables(question: Question): question is Question<TablesKind> {
  return question.kind.reads === 'tables';
}

async function fromEvents(freeze: Freeze, questions: readonly Question<EventsKind>[]) {
  const events = await Promise.resolve().then(() => readEvents(freeze));
  return new Map(questions.map(question => [question, question.kind.answer(question.product, freeze, events)]));
}

async function fromRows(place: Workplace, freeze: Freeze, questions: readonly Question<RowsKind>[]): Promise<Contents> {
  const table = new Table(freeze);
  const asked = await mapAll(questions, async question => {
    const inquiry = await orLeftOut(question, () => question.kind.ask(question.product, freeze, table));
    return inquiry ? [[question, inquiry] as const] : [];
  });
  const inquiries = asked.flat();
  const read = await scan(
    await place.database(),
    table,
    inquiries.map(([, inquiry]) => inquiry),
  );
  const answers = await mapAll(inquiries, async ([question, inquiry]) => {
    const content = await orLeftOut(question, () => inquiry.answer(read));
    return content ? [[question, content] as const] : [];
  });
  return new Map(answers.flat());
}

/** The questions about tables, those over the same tables together. */
function tableSets(questions: readonly Question[]): readonly (readonly Question<TablesKind>[])[] {
  const sets = new Map<string, Question<TablesKind>[]>();
  for (const question of questions.filter(isOfTables)) {
    const {kind, moment} = question;
    const key = JSON.stringify([kind.name, [...moment.freezes].map(([name, {folder}]) => [name, folder])]);
    const set = sets.get(key) ?? [];
    set.push(question);
    sets.set(key, set);
  }
  return [...sets.values()];
}

/** @param unsteady takes the statements that are not the same twice, by product and statement: the last moment of each */
async function askTables(questions: readonly Question<TablesKind>[], unsteady: Map<string, Fault>): Promise<Contents> {
  const [first] = questions;
  if (!first) return none;
  const tables = first.kind.open(first.moment.freezes);
  try {
    const answers = await mapAll(questions, async question => {
      const answer = await orLeftOut(question, () => tables.answer(question.product));
      for (const fault of answer?.unsteady ?? [])
        unsteady.set(`${fault.file} ${fault.field ?? ''}`, atFreeze(question, fault));
      return answer ? [[question, answer.content] as const] : [];
    });
    return new Map(answers.flat());
  } finally {
    tables.close();
  }
}

/** Adds to the fault of an earlier freeze its frozen files and its `as_of`. */
function atFreeze({published, moment: {freezes, as_of}}: Question, fault: Fault): Fault {
  if (published) return fault;
  const files = [...freezes.values()].map(({files: [file, ...others], folder}) => (others.length > 0 ? folder : file));
  return {...fault, rule: `over the earlier freeze ${[...new Set(files)].join(', ')} (as_of ${as_of}) ${fault.rule}`};
}

/**
 * Returns the answer to a question. The published snapshot must be answered. An earlier freeze that cannot answer, because it lacks a
 * column or a class that was added later, returns undefined and is left out of the history, because it can never be edited. If it only
 * exceeds the limits of this machine, that is an error: otherwise every machine would publish another history.
 */
async function orLeftOut<T>(question: Question, ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (cause) {
    if (question.published || !(cause instanceof InputError) || cause.final) throw cause;
    if (!cause.ofMachine) return undefined;
    const remedy = 'every freeze that can answer must stay in the history, so change the statement to need less';
    const faults = cause.faults.map(fault => atFreeze(question, {...fault, rule: `${fault.rule}; ${remedy}`}));
    throw new InputError(faults, {cause});
  }
}
