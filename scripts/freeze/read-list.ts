import {InputError, refuse} from '../../shared/fault.ts';
import {tableSchemaFaults, type Field, type TableSchema} from '../../build/read/data-package.ts';
import {readEvents} from '../../build/read/events.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {openDatabase, type Database} from '../../build/rows/database.ts';
import {findFaults} from '../../build/rows/faults/find-faults.ts';
import {scan} from '../../build/rows/scan.ts';
import {isOfDuckDb, messageOf} from '../../build/rows/sql.ts';
import {survey} from '../../build/rows/survey.ts';
import {Table} from '../../build/rows/table.ts';
import {columnsOf, memberNames} from './columns.ts';
import {compare, haveOneKey, type Comparison} from './compare.ts';
import {compareEvents} from './compare-events.ts';
import {csvHeader} from './csv-header.ts';
import {inferSchema} from './infer-schema.ts';
import {checkKey, type Order} from './order.ts';
import {firstRows} from './preview.ts';
import type {Progress} from './progress.ts';
import type {Staging} from './staging.ts';
import type {TakenList} from './take-list.ts';

/** What a list turned out to be. */
export interface ReadList extends Compared {
  readonly rows: number;
  /** CSV only. */
  readonly delimiter: string | undefined;
  /** None for events. */
  readonly schema: TableSchema | undefined;
  /** Whether the schema is that of the last freeze. */
  readonly carried: boolean;
  /** The first rows, as texts in the order of the columns. */
  readonly firstRows: readonly (readonly (string | null)[])[];
}

/** What changes against the last freeze; nothing where there is none. */
interface Compared {
  readonly comparison?: Comparison;
  /** Why the two are not compared. */
  readonly uncompared?: string;
}

/** What reading a list needs. */
interface Reading {
  readonly order: Order;
  readonly list: TakenList;
  readonly last: Freeze | undefined;
  readonly staging: Staging;
  readonly progress: Progress;
  readonly database: Database;
}

/** Reads the files in the staging folder. Throws `InputError` with the rows that break the schema, by the publisher's file names. */
export async function readList(
  order: Order,
  list: TakenList,
  last: Freeze | undefined,
  staging: Staging,
  progress: Progress,
): Promise<ReadList> {
  const database = await openDatabase(order.root, {counted: true});
  const carried = last !== undefined && !order.newSchema;
  try {
    const reading = {order, list, last, staging, progress, database};
    return await (carried ? readCarried(reading, last) : readNew(reading));
  } catch (error) {
    throw error instanceof InputError ? renamed(error, list, staging) : error;
  } finally {
    database.close();
  }
}

/** The schema of the last freeze holds. */
async function readCarried(reading: Reading, last: Freeze): Promise<ReadList> {
  if (!last.schema) return readEventList(reading, candidateOf(reading, last.descriptor));
  checkKey(reading.order, [last.schema.primaryKey ?? []].flat(), last.descriptor);
  const header = await headerOf(reading);
  const freeze = {...candidateOf(reading, last.descriptor), delimiter: header?.delimiter ?? ',', schema: last.schema};
  try {
    return await readRows(reading, freeze, last.schema, true);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const rules = {
      file: last.descriptor,
      rule: 'has the schema that this list must keep (--new-schema infers another):',
    };
    throw new InputError([rules, ...error.faults], {more: error.more, cause: error});
  }
}

/** The schema is inferred, unless it is a list of events, which has none. */
async function readNew(reading: Reading): Promise<ReadList> {
  const {order, list, database, progress} = reading;
  const origin = list.files[0]?.origin ?? '';
  const header = await headerOf(reading);
  const freeze = {...candidateOf(reading, origin), delimiter: header?.delimiter ?? ','};
  await survey(order.root, freeze, header?.names.length ?? 0);
  const names = header?.names ?? (await readable(reading, freeze, [], () => memberNames(database, order.root, freeze)));
  if (freeze.format === 'json' && names.toSorted().join() === 'payload,type') return readEventList(reading, freeze);
  const columns = await readable(reading, freeze, names, () => columnsOf(database, order.root, freeze, names));
  if (columns.length === 0) throw new InputError({file: origin, rule: NO_ROWS});
  const {schema, rows} = await readable(reading, freeze, names, () =>
    progress.reading(
      'inferring the schema',
      list.bytes,
      () => database.progress(),
      () => inferSchema(database, order.root, freeze, columns, order.key),
    ),
  );
  if (rows === 0) throw new InputError({file: origin, rule: NO_ROWS});
  refuse(tableSchemaFaults(schema, (_, value, rule) => ({file: origin, field: 'column', value, rule})));
  progress.rows = rows;
  return await readRows(reading, {...freeze, schema}, schema, false);
}

const NO_ROWS = 'holds no row to infer a schema from';

/** Asks the database about files that it may be unable to read: then says where. */
async function readable<T>(
  {order, database}: Reading,
  freeze: Freeze,
  names: readonly string[],
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isOurs(error)) throw error;
    const fields = names.map((name): Field => ({name, type: 'string'}));
    const table = new Table({...freeze, schema: {fields}});
    throw await findFaults({database, root: order.root, table}, [], {cause: error as Error});
  }
}

/** Checks every row as the build will, takes the first ones and compares all with the last freeze. */
async function readRows(reading: Reading, freeze: Freeze, schema: TableSchema, carried: boolean): Promise<ReadList> {
  const {order, list, last, database, progress} = reading;
  const table = new Table(freeze);
  const during = <T>(label: string, work: () => Promise<T>) =>
    progress.reading(label, list.bytes, () => database.progress(), work);
  const read = await during('checking the rows', () => scan(database, order.root, table, []));
  const compared = last ? await during('comparing', () => compareWith(reading, last, freeze)) : {};
  return {
    rows: read(table.count()),
    delimiter: freeze.format === 'csv' ? freeze.delimiter : undefined,
    schema,
    carried,
    firstRows: await firstRows(database, order.root, freeze, schema.fields),
    ...compared,
  };
}

/** A comparison is a service: a last freeze that cannot be read, or a list too long to join, does not stop a new one. */
async function compareWith({order, database}: Reading, last: Freeze, freeze: Freeze): Promise<Compared> {
  if (!haveOneKey(last, freeze)) return {uncompared: 'the two have no key in common'};
  try {
    return {comparison: await compare(database, order.root, last, freeze)};
  } catch (error) {
    if (isOurs(error)) throw error;
    return {uncompared: messageOf(error as Error)};
  }
}

/** A question that the database does not understand is a bug; what else it says is about the files, or its memory. */
function isOurs(error: unknown): boolean {
  return !isOfDuckDb(error) || /^(Parser|Catalog|Internal)/i.test(error.message);
}

function readEventList({order, last}: Reading, freeze: Freeze): ReadList {
  if (order.key.length > 0)
    throw new InputError({file: '--key', value: order.key.join(', '), rule: 'is for rows: this is a list of events'});
  const events = readEvents(order.root, freeze);
  const earlier = last && !last.schema ? readEvents(order.root, last) : undefined;
  return {
    rows: events.length,
    delimiter: undefined,
    schema: undefined,
    carried: last !== undefined && !order.newSchema,
    firstRows: events.slice(0, 5).map(({type, payload}) => [type, JSON.stringify(payload)]),
    ...(earlier ? {comparison: compareEvents(earlier, events)} : {}),
  };
}

async function headerOf({order, list, staging, database}: Reading) {
  const [first] = list.files;
  if (order.delimiter !== undefined && list.form.format !== 'csv')
    throw new InputError({file: '--delimiter', value: order.delimiter, rule: 'is for CSV'});
  if (!first || list.form.format !== 'csv') return undefined;
  const delimiter = order.delimiter ?? (list.form.tabs ? '\t' : undefined);
  return await csvHeader(database, staging, first.head, first.origin, delimiter);
}

/**
 * The freeze as far as it is known, in the staging folder.
 *
 * @param descriptor the file that messages about the schema name
 */
function candidateOf({order, list, staging}: Reading, descriptor: string): Freeze {
  return {
    source: order.source,
    folder: staging.freeze,
    descriptor,
    date: order.date,
    created: order.as_of,
    as_of: order.as_of,
    age_hours: 0,
    files: list.files.map(({name}) => `${staging.freeze}/${name}`),
    format: list.form.format,
    delimiter: ',',
    bytes: list.bytes,
    sha256: list.sha256,
    rows: undefined,
    schema: undefined,
  };
}

/** The same faults, with the files called as the publisher called them. */
function renamed(error: InputError, {files}: TakenList, {freeze}: Staging): InputError {
  const longestFirst = files.toSorted((a, b) => b.name.length - a.name.length);
  const rename = (text: string) =>
    longestFirst.reduce((renaming, {name, origin}) => renaming.replaceAll(`${freeze}/${name}`, () => origin), text);
  const faults = error.faults.map(fault => ({...fault, file: rename(fault.file), rule: rename(fault.rule)}));
  return new InputError(faults, {more: error.more, cause: error});
}
