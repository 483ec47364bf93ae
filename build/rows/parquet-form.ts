import {join} from 'node:path';
import type {Fault} from '../../shared/fault.ts';
import type {FrozenList} from '../read/freezes.ts';
import {MAX_DIGITS} from '../read/limits.ts';
import type {Field} from '../read/table-schema.ts';
import type {Database} from './database.ts';
import {FIELD_TYPES, typeRules} from './field-types.ts';
import {identifier, literal, literals, messageOf} from './sql.ts';

/** An element of a Parquet file's schema, from DuckDB's `parquet_schema`. */
interface Element {
  readonly name: string;
  readonly physical: string;
  readonly logical: string;
  readonly precision: number;
  readonly isList: boolean;
  readonly type: string;
  readonly children: readonly Element[];
}

/** DuckDB's name of the type of values that are all null. */
const NULL = '"NULL"';
/** The remedy for names that DuckDB would change. */
const RENAME = 'Give every column and member in the Parquet file a name. No two names may differ only in case.';
const TYPES = 'text, whole and other numbers, booleans, dates, timestamps, structs, maps and lists';

/**
 * Returns errors of the columns of Parquet files: names or values that DuckDB would change, types that differ from those in the first file
 * (DuckDB would cast the values), and columns that are not the declared fields. A column of nulls may have any type.
 * @param fields undefined for a first freeze, which infers them
 */
export async function parquetFaults(
  database: Database,
  {root, files}: Pick<FrozenList, 'root' | 'files'>,
  fields?: readonly Field[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  let first: ParquetFile | undefined;
  for (const name of files) {
    try {
      const file = await openParquet(database, root, name);
      const names = namesFault(file.columns);
      if (names !== undefined) {
        faults.push({code: 'FZ108', file: name, field: 'columns', rule: `cannot be read: ${names}`, fix: RENAME});
        continue;
      }
      first ??= file;
      faults.push(...(await columnFaults(database, file, first, fields)));
    } catch (cause) {
      faults.push({code: 'FZ108', file: name, rule: `is not Parquet: ${messageOf(cause as Error)}`});
    }
  }
  return faults;
}

type ParquetFile = Awaited<ReturnType<typeof openParquet>>;

async function openParquet(database: Database, root: string, file: string) {
  const path = join(root, file);
  const elements = await database.query(`
    SELECT name, coalesce(num_children, 0), coalesce(type, ''), coalesce(logical_type, ''), coalesce(precision, 0),
      coalesce(converted_type, ''), coalesce(duckdb_type, '')
    FROM parquet_schema(${literal(path)})`);
  const rows = `read_parquet(${literals([path])}, hive_partitioning = false)`;
  const types = await database.query(`DESCRIBE SELECT * FROM ${rows}`);
  const columns = elementTree(elements).children.map((element, index) => ({
    ...element,
    /** The complete DuckDB type, in which nulls are integers. */
    whole: String(types[index]?.[1]),
  }));
  return {file, rows, columns};
}

/** `parquet_schema` lists every group before its children. */
function elementTree(cells: readonly (readonly unknown[])[]): Element {
  let at = 0;
  const next = (): Element => {
    const [name, count, physical, logical, precision, converted, type] = (cells[at++] ?? []).map(String);
    return {
      name: name ?? '',
      physical: physical ?? '',
      logical: logical ?? '',
      precision: Number(precision),
      isList: /^(LIST|MAP)/.test(converted ?? '') || /^(List|Map)Type/.test(logical ?? ''),
      type: type ?? '',
      children: Array.from({length: Math.min(Number(count), cells.length - at)}, next),
    };
  };
  return next();
}

/** Errors of columns that cannot be read exactly, or that differ from the first file or the fields. */
async function columnFaults(
  database: Database,
  {file, rows, columns}: ParquetFile,
  first: ParquetFile,
  fields: readonly Field[] | undefined,
): Promise<Fault[]> {
  const names = columns.map(({name}) => name);
  const expected = (fields ?? first.columns).map(({name}) => name);
  if (names.join('\n') !== expected.join('\n'))
    return [
      {code: 'FZ108' as const, file, field: 'columns', value: names.join(', '), rule: `are not ${expected.join(', ')}`},
    ];
  const faults: Fault[] = [];
  for (const [index, column] of columns.entries()) {
    const field = fields?.[index];
    const other = first.columns[index] ?? column;
    const ofType = field ? [typeRules(field)] : Object.values(FIELD_TYPES);
    const isOfType = ofType.some(({parquet}) => parquet.test(column.whole));
    const isSame = fits(column, other) || (column.whole === other.whole && !hasNulls(other));
    const unreadable = unreadableFault(column, true);
    if ((unreadable === undefined && isOfType && isSame) || (await isOfNulls(database, rows, column))) continue;
    const at = {code: 'FZ108' as const, file, field: `column "${column.name}"`};
    const value = column.whole;
    if (unreadable) faults.push({...at, ...unreadable});
    else if (!isSame && (fits(other, column) || (await isOfNulls(database, first.rows, other))))
      faults.push({
        ...at,
        value,
        rule: 'has values here, but only nulls in the first file',
        fix: 'List another file first.',
      });
    else if (isOfType) faults.push({...at, value, rule: `is not ${other.whole}, as in the first file`});
    else
      faults.push({
        ...at,
        value,
        rule: field ? `is not of type ${field.type}` : `is not a type that rows can have: ${TYPES}`,
      });
  }
  return faults;
}

async function isOfNulls(database: Database, rows: string, {name}: Element): Promise<boolean> {
  const [cells] = await database.query(`SELECT count(${identifier(name)}) FROM ${rows}`);
  return Number(cells?.[0]) === 0;
}

/** True if an element has the same type as another one, or only nulls. Names may differ in the topmost `unnamedLevels` levels. */
function fits({type, isList, children}: Element, other: Element, unnamedLevels = 0): boolean {
  if (type === NULL) return true;
  // Writers name the two levels of a list or map differently.
  const unnamed = isList ? 2 : unnamedLevels - 1;
  const isSame = type === other.type && isList === other.isList && children.length === other.children.length;
  return (
    isSame &&
    children.every((child, index) => {
      const twin = other.children[index];
      return twin !== undefined && (unnamed > 0 || child.name === twin.name) && fits(child, twin, unnamed);
    })
  );
}

/** True if an element, or one inside it, has the type NULL, to which DuckDB cannot cast values. */
function hasNulls({type, children}: Element): boolean {
  return type === NULL || children.some(hasNulls);
}

/** DuckDB compares names without case: it renames the second of two, and empty names. */
function namesFault(elements: readonly Element[]): string | undefined {
  const seen = new Map<string, string>();
  for (const {name} of elements) {
    if (name === '') return 'one has an empty name';
    const twin = seen.get(name.toLowerCase());
    if (twin === name) return `the name "${name}" is used twice`;
    if (twin !== undefined) return `the names "${twin}" and "${name}" differ only in case`;
    seen.set(name.toLowerCase(), name);
  }
  return undefined;
}

/** Returns why the values of an element cannot be read exactly, or undefined. */
function unreadableFault(
  {children, physical, logical, precision, type}: Element,
  isColumn: boolean,
): Pick<Fault, 'rule' | 'fix'> | undefined {
  if (children.length > 0) {
    const fault = namesFault(children);
    if (fault !== undefined) return {rule: `has members that cannot be read: ${fault}`, fix: RENAME};
    return children.map(child => unreadableFault(child, false)).find(found => found !== undefined);
  }
  // DuckDB reads decimals with more digits as doubles.
  if (precision > MAX_DIGITS)
    return {
      rule: `is a decimal of ${precision} digits, and at most ${MAX_DIGITS} can be read`,
      fix: 'Save it as text, or with fewer digits.',
    };
  if (physical === 'INT96')
    return {
      rule: 'is a timestamp of type INT96, whose nanoseconds would be lost',
      fix: 'Write it as TIMESTAMP_MICROS (Spark: spark.sql.parquet.outputTimestampType).',
    };
  if (/isAdjustedToUTC=1.*NANOS=NanoSeconds/.test(logical))
    return {
      rule: 'is a timestamp with a time zone in nanoseconds, which would be rounded',
      fix: 'Write it in microseconds (pyarrow: coerce_timestamps="us").',
    };
  // The types of whole columns are compared with the fields instead.
  const isReadable = isColumn || type === NULL || Object.values(FIELD_TYPES).some(({parquet}) => parquet.test(type));
  return isReadable
    ? undefined
    : {rule: `has values of type ${type}, which is not a type that rows can have: ${TYPES}`};
}
