import {type Fault, InputError, mapAll} from '../../shared/fault.ts';
import {missingOf, type Field, type TableSchema} from '../../build/read/table-schema.ts';
import {readEvents} from '../../build/kinds/event-bundle.ts';
import type {Freeze, FrozenList} from '../../build/read/freezes.ts';
import {openDatabase, type Database} from '../../build/rows/database.ts';
import {findFaults} from '../../build/rows/faults/find-faults.ts';
import {relation} from '../../build/rows/relation.ts';
import {scan} from '../../build/rows/scan.ts';
import {survey, type Survey} from '../../build/rows/survey.ts';
import {Table} from '../../build/rows/table.ts';
import {meter} from '../terminal/meter.ts';
import type {StatusLine} from '../terminal/status-line.ts';
import {compare, compared, isOurs, type Compared} from './compare.ts';
import {beginningOf} from './content.ts';
import {oddRows, refuseOddRows, unclosedFault} from './csv/row-faults.ts';
import {inferSchema, type Inferred} from './infer-schema.ts';
import {keptSchemaError} from './kept-schema-error.ts';
import {missingValuesOf, withMissing} from './missing-values.ts';
import type {Order} from './order.ts';
import {columnsOf, type Column} from './profile.ts';
import {refuseLooseJson} from './json/strict.ts';
import {schemaOf} from './schema-of.ts';
import type {Staging} from './staging.ts';
import type {CopiedList} from './copy-list.ts';
import {COLUMNS} from '../../build/rows/sql.ts';

const SHOWN_ROWS = 5;

export type ReadList = Awaited<ReturnType<typeof readList>>;

interface Reading {
  readonly order: Order;
  readonly list: CopiedList;
  readonly last: Freeze | undefined;
  /** All freezes so far. */
  readonly earlier: readonly Freeze[];
  readonly database: Database;
  /** Shows the progress of the database during some work. */
  readonly during: <T>(label: string, work: () => Promise<T>) => Promise<T>;
}

/** Reads and checks the staged files. Throws `InputError` with the rows that violate the schema. */
export async function readList(
  order: Order,
  list: CopiedList,
  last: Freeze | undefined,
  earlier: readonly Freeze[],
  {folder}: Staging,
  line: StatusLine,
) {
  const database = await openDatabase(order.root, {counted: true});
  const during = async <T>(label: string, work: () => Promise<T>) => {
    const show = meter(line, label, list.bytes);
    const timer = setInterval(() => {
      show((list.bytes * Math.max(database.progress(), 0)) / 100);
    }, 100);
    return await work().finally(() => {
      clearInterval(timer);
    });
  };
  try {
    return await read({order, list, last, earlier, database, during}, folder);
  } finally {
    database.close();
  }
}

async function read(reading: Reading, folder: string) {
  const {order, list, last} = reading;
  const {root, source, headerRow} = order;
  const {files, form, bytes, sha256} = list;
  const kept = order.newSchema ? undefined : last;
  const property = form.format === 'json' ? (order.property ?? kept?.property) : undefined;
  const declared = {
    delimiter: order.delimiter ?? form.delimiter,
    line: headerRow ?? 1,
    isNamed: isHeaderNamed(order),
    expected: kept?.schema?.fields.map(({name}) => name),
  };
  const paths = files.map(({name}) => `${folder}/${name}`);
  const [header] = await mapAll(paths, path => beginningOf(root, path, form.format, property, declared));
  const missingValues = missingValuesOf(order, last, form.format);
  const freeze: FrozenList = {
    root,
    source,
    folder,
    descriptor: kept?.descriptor ?? paths[0] ?? '',
    files: paths,
    format: form.format,
    delimiter: header?.delimiter ?? ',',
    property,
    bytes,
    sha256,
    rows: undefined,
    schema: undefined,
    missing: missingOf(missingValues, form.format),
  };
  const surveyed = await survey(freeze, header?.names.length ?? 0);
  if (surveyed.unclosed !== undefined) throw await unclosedFault(root, surveyed.unclosed, freeze.delimiter);
  if (form.format === 'ndjson' || (form.format === 'json' && property === undefined)) {
    const {format} = form;
    await mapAll(paths, path => refuseLooseJson(root, path, format));
  }
  const place = {file: paths[0], ...(form.format === 'csv' && {line: declared.line})};
  const found = await readSchema(reading, freeze, header?.names, place);
  const schema = found && withMissing(found.schema, missingValues);
  const rowsFound = schema
    ? await readRows(reading, {...freeze, schema}, schema, surveyed, kept)
    : readEventList(freeze);
  return {
    ...rowsFound,
    /** Undefined for events. */
    schema,
    /** True if the schema is that of the last freeze. */
    carried: kept !== undefined,
    warnings: found?.warnings ?? [],
    /** CSV only. */
    delimiter: header?.delimiter,
    /** JSON only: the path of the list inside an object. */
    property,
  };
}

/** True if the publisher chose the header. */
function isHeaderNamed({headerRow, columns}: Order): boolean {
  return headerRow !== undefined || columns !== undefined;
}

/** Returns the schema of the list. Undefined for a list of events. */
async function readSchema(
  {order, database, last, earlier, during}: Reading,
  freeze: FrozenList,
  header: readonly string[] | undefined,
  place: Pick<Fault, 'file' | 'line'>,
): Promise<Inferred | undefined> {
  const list = {database, freeze};
  let columns: readonly Column[] = header?.map(name => ({name})) ?? [];
  try {
    if (!header) columns = await columnsOf(list);
    const names = columns.map(({name}) => name);
    const infer = async (key: readonly string[] | undefined) => {
      if (header) await refuseOddRows(list, header, isHeaderNamed(order));
      const known = columns.map(column => {
        const own = last?.schema?.fields.find(({name}) => name === column.name)?.missingValues;
        return own ? {...column, missingValues: own} : column;
      });
      return await during('inferring the schema', () => inferSchema(list, known, key, earlier));
    };
    return await schemaOf({...list, order, last, names, place, infer});
  } catch (error) {
    if (isOurs(error)) throw error;
    // DuckDB could not read the files. Find the position of the error.
    const fields = columns.map(({name}): Field => ({name, type: 'string'}));
    const table = new Table({...freeze, schema: {fields}});
    throw await findFaults({database, table}, [], {cause: error as Error});
  }
}

interface Found extends Compared {
  readonly rows: number;
  /** The first rows as texts, in the order of the columns; null for missing values. */
  readonly firstRows: readonly (readonly (string | null)[])[];
}

/** Checks all rows as the build will, reads the first ones, and compares the list with the last freeze. */
async function readRows(
  {order, last, database, during}: Reading,
  freeze: FrozenList,
  {fields}: TableSchema,
  surveyed: Survey,
  kept: Freeze | undefined,
): Promise<Found> {
  const table = new Table(freeze);
  const checked = await during('checking the rows', () =>
    scan(database, table, [oddRows(table, isHeaderNamed(order))], surveyed),
  ).catch((cause: unknown) => {
    throw kept && cause instanceof InputError ? keptSchemaError(cause, kept.descriptor) : cause;
  });
  const texts = fields.map((_, index) => COLUMNS.text(index)).join(', ');
  const rows = await database.query(`SELECT ${texts} FROM (${relation(freeze, fields)}) LIMIT ${SHOWN_ROWS}`);
  return {
    rows: checked(table.count()),
    firstRows: rows as Found['firstRows'],
    ...(last && (await during('comparing', () => compared(() => compare(database, last, freeze))))),
  };
}

function readEventList(freeze: FrozenList): Found {
  const events = readEvents(freeze);
  return {
    rows: events.length,
    firstRows: events.slice(0, SHOWN_ROWS).map(({type, payload}) => [type, JSON.stringify(payload)]),
  };
}
