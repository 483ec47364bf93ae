import type {Fault} from '../../shared/fault.ts';
import type {Database} from './database.ts';
import {literal} from './sql.ts';

/** An element of a Parquet file's schema, as `parquet_schema` of DuckDB shows it. */
interface Element {
  readonly name: string;
  /** The physical type, empty for a group. */
  readonly type: string;
  readonly converted: string;
  readonly precision: number;
  readonly logical: string;
  readonly children: readonly Element[];
}

/** What the footer of a Parquet file says about its columns. */
export interface ParquetForm {
  /** Columns that DuckDB would read with the wrong name, or whose values it would change. */
  readonly faults: readonly Fault[];
  /** Columns that have no type because all their values are null. */
  readonly untyped: ReadonlySet<string>;
}

const MAX_PRECISION = 38;

/** Reads the form of a Parquet file from its footer; `path` is absolute, and `file` is the name for messages. */
export async function parquetForm(database: Database, path: string, file: string): Promise<ParquetForm> {
  const cells = await database.query(
    `SELECT name, coalesce(type, ''), coalesce(num_children, 0), coalesce(converted_type, ''), coalesce(precision, 0),
      coalesce(logical_type, '') FROM parquet_schema(${literal(path)})`,
  );
  const {children: columns} = treeOf(cells);
  const named = namesFault(columns);
  const faults = columns.flatMap(column => {
    const fault = isUntyped(column) ? undefined : faultOf(column, true);
    return fault === undefined ? [] : [{file, field: `column "${column.name}"`, rule: fault}];
  });
  return {
    faults: [...(named === undefined ? [] : [{file, field: 'columns', rule: `cannot be read: ${named}`}]), ...faults],
    untyped: new Set(columns.filter(isUntyped).map(({name}) => name)),
  };
}

/** The rows of `parquet_schema` list every group before its children. */
function treeOf(cells: readonly (readonly unknown[])[]): Element {
  let at = 0;
  const next = (): Element => {
    const [name, type, count, converted, precision, logical] = (cells[at++] ?? []).map(String);
    return {
      name: name ?? '',
      type: type ?? '',
      converted: converted ?? '',
      precision: Number(precision),
      logical: logical ?? '',
      children: Array.from({length: at < cells.length ? Number(count) : 0}, next),
    };
  };
  return next();
}

function isUntyped({logical}: Element): boolean {
  return logical === 'NullType()';
}

/** DuckDB does not distinguish names by case: it renames the second one, and names without a text. */
function namesFault(elements: readonly Element[]): string | undefined {
  const seen = new Map<string, string>();
  for (const {name} of elements) {
    if (name === '') return 'one has an empty name: name every one in the Parquet file';
    const twin = seen.get(name.toLowerCase());
    if (twin !== undefined)
      return `"${twin}" and "${name}" have names that differ in nothing but case: rename one of them in the Parquet file`;
    seen.set(name.toLowerCase(), name);
  }
  return undefined;
}

/** Why the values of an element cannot be read exactly; undefined if they can. */
function faultOf(element: Element, isColumn: boolean): string | undefined {
  const {children, precision} = element;
  if (children.length > 0) {
    const fault = namesFault(children);
    if (fault !== undefined) return `holds members that cannot be read: ${fault}`;
    return children.map(child => faultOf(child, false)).find(found => found !== undefined);
  }
  if (isDecimal(element) && precision > MAX_PRECISION)
    return `is a decimal of ${precision} digits, and at most ${MAX_PRECISION} can be read: save it as text, or with fewer digits`;
  if (element.type === 'INT96')
    return 'is a timestamp of type INT96, whose nanoseconds would be lost: write it as TIMESTAMP_MICROS (Spark: spark.sql.parquet.outputTimestampType)';
  if (/isAdjustedToUTC=1.*NANOS=NanoSeconds/.test(element.logical))
    return 'is a timestamp with a time zone in nanoseconds, which would be rounded: write it in microseconds (pyarrow: coerce_timestamps="us")';
  // The types of whole columns are checked by the names that DuckDB gives them.
  return isColumn || isReadable(element)
    ? undefined
    : 'holds values that are not of a type that rows can have: text, whole and other numbers, booleans, dates, timestamps, structs, maps and lists';
}

function isDecimal({converted, logical}: Element): boolean {
  return converted === 'DECIMAL' || logical.startsWith('DecimalType');
}

function isReadable(element: Element): boolean {
  const {type, converted, logical} = element;
  if (isUntyped(element) || isDecimal(element)) return true;
  if (type === 'BYTE_ARRAY') return /^(UTF8|ENUM)$/.test(converted) || /^(StringType|EnumType)/.test(logical);
  if (type === 'FIXED_LEN_BYTE_ARRAY') return logical.startsWith('Float16Type');
  return !converted.startsWith('TIME_') && !logical.startsWith('TimeType');
}
