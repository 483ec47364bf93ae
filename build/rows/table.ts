import {firstOf} from '../../shared/english.ts';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {InputError} from '../../shared/fault.ts';
import {NESTED_TYPES, type Field, type FieldType} from '../read/table-schema.ts';
import type {FrozenList} from '../read/freezes.ts';
import {FORMATS} from './formats.ts';
import {COLUMNS, asText} from './sql.ts';

/** A figure of a scan: an SQL aggregate, and how its JSON form is decoded. */
export interface Measure<T> {
  readonly sql: string;
  readonly decode: (json: unknown) => T;
}

/** Returns a measure's result after the scan. */
export type Read = <T>(measure: Measure<T>) => T;

/** A check that every row must pass. */
export interface RowRule {
  readonly code: ErrorCode;
  readonly field: string;
  /** SQL of the value that the error shows. */
  readonly shown: string;
  /** A predicate that is true for a row that fails. */
  readonly broken: string;
  /** Completes "<field> <value> …". */
  readonly rule: string;
  /** The remedy, if that of the error code is not enough. */
  readonly fix?: string | undefined;
  /** Decides from measures of the scan if every row passes. Without it the failing rows are counted. */
  readonly holds?: (read: Read) => boolean;
}

export type Row = Readonly<Record<string, unknown>>;

const SHOWN_COLUMNS = 20;

/** SQL over the columns of a freeze, which kinds use for their measures. Columns are named `v0, v1, …` (values) and `t0, t1, …` (texts). */
export class Table {
  readonly freeze: FrozenList;
  readonly fields: readonly Field[];
  readonly key: readonly string[];

  constructor(freeze: FrozenList) {
    const rule = 'is missing, and rows need a Table Schema';
    if (!freeze.schema)
      throw new InputError({code: 'FZ114', file: freeze.descriptor, field: 'resources[0].schema', rule});
    this.freeze = freeze;
    this.fields = freeze.schema.fields;
    this.key = [freeze.schema.primaryKey ?? []].flat();
  }

  /**
   * Returns the field of a column. Throws `InputError` if it does not exist, with this fix or that of its code.
   *
   * @param member of the product's file that names the column. Without one, the source is at fault.
   */
  column(name: string, {file, member, fix}: {file: string; member?: string | undefined; fix?: string}): Field {
    const field = this.fields.find(candidate => candidate.name === name);
    const {source, descriptor} = this.freeze;
    if (field) return field;
    const names = firstOf(
      this.fields.map(other => other.name),
      SHOWN_COLUMNS,
    );
    throw new InputError({
      ...{code: 'FZ204', file, fix},
      ...(member === undefined
        ? {
            field: 'source',
            value: source,
            rule: `does not contain a column "${name}" in ${descriptor}, which has ${names}`,
          }
        : {field: member, value: name, rule: `is not a column of ${descriptor}, which has ${names}`}),
    });
  }

  /** Returns the field of a column. Throws `InputError` if it does not exist or has another type. */
  field(name: string, type: FieldType, file: string): Field {
    const field = this.column(name, {file});
    const {descriptor} = this.freeze;
    if (field.type === type) return field;
    const rule = `is of type ${field.type}, and ${file} needs a ${type}`;
    throw new InputError({code: 'FZ213', file: descriptor, field: `column "${name}"`, rule});
  }

  /**
   * Returns the column that identifies and sorts rows: the one that a product chose, or else the primary key. Throws `InputError` without
   * such a column, or if it contains objects or lists.
   */
  keyColumn({file, key}: {readonly file: string; readonly key?: string}): Field {
    if (key !== undefined) {
      const field = this.column(key, {file, member: 'key'});
      if (!NESTED_TYPES.includes(field.type)) return field;
      const rule = `is a column of type ${field.type}, which cannot be a key`;
      throw new InputError({code: 'FZ213', file, field: 'key', value: key, rule});
    }
    const [name, ...others] = this.key;
    if (name !== undefined && others.length === 0) return this.column(name, {file});
    const rule = `is not a single column, and ${file} names no "key": rows are sorted by one column`;
    throw new InputError({code: 'FZ213', file: this.freeze.descriptor, field: 'resources[0].schema.primaryKey', rule});
  }

  /** SQL of a column's value. */
  value(name: string): string {
    return COLUMNS.value(this.indexOf(name));
  }

  /** SQL of a column's text in the file. */
  text(name: string): string {
    return COLUMNS.text(this.indexOf(name));
  }

  /** Number of rows, or of those that match a predicate. */
  count(where?: string): Measure<number> {
    // A FILTER copies all columns, so the time of many filters grows with the square of their number.
    return {sql: where === undefined ? 'count(*)' : `count_if(${where})`, decode: Number};
  }

  /** Number of rows, or of those that match a predicate, by the value of a string column, or of a boolean as a string. */
  countBy(name: string, where?: string): Measure<ReadonlyMap<string, number>> {
    return {
      sql: `histogram(${this.value(name)})${where === undefined ? '' : ` FILTER (${where})`}`,
      decode: json => new Map(Object.entries((json ?? {}) as Record<string, number>)),
    };
  }

  /**
   * The first rows that match a predicate, in the order of a column and, if its values may repeat, of all others.
   * @param names the columns of the rows, in the order of the table
   */
  first(
    name: string,
    limit: number,
    where: string,
    names: readonly string[] = this.fields.map(field => field.name),
  ): Measure<readonly Row[]> {
    const key = this.value(name);
    const keyField = this.fields[this.indexOf(name)] as Field;
    const most = Math.max(limit, 1);
    const fields = this.fields.filter(field => names.includes(field.name));
    const others = fields.filter(field => field.name !== name);
    const lacking = this.optional.filter(field => names.includes(field.name)).map(field => this.missing(field.name));
    const columns = [
      // Exact decimals are sold as texts, whose order is another one.
      ...(keyField.scale === undefined ? [] : [`number := ${key}`]),
      `${key} := ${this.sold(keyField)}`,
      ...others.map(field => `${this.value(field.name)} := ${this.sold(field)}`),
      ...lacking.map(missing => `${missing} := ${missing}`),
    ];
    const whole = `struct_pack(${columns.join(', ')})`;
    const wholes = this.isUnique(name) ? `arg_min(${whole}, ${key}, ${most})` : `min(${whole}, ${most})`;
    return {
      sql: `${wholes} FILTER (${where})`,
      decode: json => ((json ?? []) as Row[]).slice(0, limit).map(found => this.row(names, found)),
    };
  }

  /** True if the schema requires a value in this column. */
  isRequired(name: string): boolean {
    return this.key.includes(name) || this.fields[this.indexOf(name)]?.constraints?.required === true;
  }

  /** The fields whose member a row may lack. */
  get optional(): readonly Field[] {
    const mayLack = FORMATS[this.freeze.format].missing !== undefined;
    return mayLack ? this.fields.filter(({name}) => !this.isRequired(name)) : [];
  }

  private isUnique(name: string): boolean {
    return this.key.join('\n') === name || this.fields[this.indexOf(name)]?.constraints?.unique === true;
  }

  private missing(name: string): string {
    return COLUMNS.isAbsent(this.indexOf(name));
  }

  /** SQL of a value in documents. A decimal is a string, because JSON numbers would lose digits. */
  private sold({name, scale}: Field): string {
    return scale === undefined ? this.value(name) : asText(this.value(name));
  }

  private row(names: readonly string[], values: Row): Row {
    const present = names.filter(name => values[this.missing(name)] !== true);
    return Object.fromEntries(present.map(name => [name, values[this.value(name)] ?? null]));
  }

  private indexOf(name: string): number {
    const index = this.fields.findIndex(field => field.name === name);
    if (index < 0) throw new Error(`no column ${name}`);
    return index;
  }
}
