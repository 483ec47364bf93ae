import {InputError} from '../../shared/fault.ts';
import type {Field, FieldType} from '../read/data-package.ts';
import type {Freeze} from '../read/freezes.ts';
import type {JsonSchema} from '../read/validator.ts';
import {FIELD_TYPES} from './field-types.ts';

/** One figure of a scan: an SQL aggregate, and what its JSON form means. */
export interface Measure<T> {
  readonly sql: string;
  readonly decode: (json: unknown) => T;
}

/** Reads a measure's result after the scan. */
export type Read = <T>(measure: Measure<T>) => T;

/** A rule that every row must keep. */
export interface RowRule {
  readonly field: string;
  /** SQL of what stands in the row. */
  readonly shown: string;
  /** Predicate that is true of a row that breaks the rule. */
  readonly broken: string;
  /** Completes "<field> <value> …". */
  readonly rule: string;
  /** Tells from measures of the scan whether every row keeps the rule; without it the breaches are counted. */
  readonly holds?: (read: Read) => boolean;
}

export type Row = Readonly<Record<string, unknown>>;

/** Up to this many, a filter is quicker. It copies all columns, so that the time of many filters grows with the square of their number. */
const FEW_COLUMNS = 16;

/** SQL over the columns of a freeze: what kinds ask with. Columns are called `v0, v1, …` (values) and `t0, t1, …` (texts). */
export class Table {
  readonly freeze: Freeze;
  readonly fields: readonly Field[];
  readonly key: readonly string[];

  constructor(freeze: Freeze) {
    const rule = 'is missing: rows need a Table Schema';
    if (!freeze.schema) throw new InputError({file: freeze.descriptor, field: 'resources[0].schema', rule});
    this.freeze = freeze;
    this.fields = freeze.schema.fields;
    this.key = [freeze.schema.primaryKey ?? []].flat();
  }

  /** The field of a column. Throws `InputError` where there is none, or none of this type. */
  field(name: string, type: FieldType, file: string): Field {
    const field = this.fields.find(candidate => candidate.name === name);
    const {source, descriptor} = this.freeze;
    if (!field)
      throw new InputError({file, field: 'source', value: source, rule: `has no column "${name}" in ${descriptor}`});
    if (field.type === type) return field;
    const rule = `is of type ${field.type}, and ${file} needs a ${type}`;
    throw new InputError({file: descriptor, field: `column "${name}"`, rule});
  }

  /**
   * The text column that rows are named and put in order by: the one that a product chose, else the primary key.
   * Throws `InputError` where there is none.
   */
  textKey({file, key}: {readonly file: string; readonly key?: string}): string {
    if (key !== undefined) return this.field(key, 'string', file).name;
    const [name, ...others] = this.key;
    if (name !== undefined && others.length === 0) return this.field(name, 'string', file).name;
    const rule = `is not one column, which ${file} needs to put rows in order, unless it names a "key"`;
    throw new InputError({file: this.freeze.descriptor, field: 'resources[0].schema.primaryKey', rule});
  }

  /** SQL of a column's value. */
  value(name: string): string {
    return `v${this.indexOf(name)}`;
  }

  /** SQL of a column's text as read. */
  text(name: string): string {
    return `t${this.indexOf(name)}`;
  }

  /** Number of rows, or of those that a predicate is true of. */
  count(where?: string): Measure<number> {
    if (where === undefined) return {sql: 'count(*)', decode: Number};
    const isWide = this.fields.length > FEW_COLUMNS;
    return {sql: isWide ? `count_if(${where})` : `count(*) FILTER (${where})`, decode: Number};
  }

  /** Number of rows by the value of a text column. */
  countBy(name: string): Measure<ReadonlyMap<string, number>> {
    return {
      sql: `histogram(${this.value(name)})`,
      decode: json => new Map(Object.entries((json ?? {}) as Record<string, number>)),
    };
  }

  /**
   * The first rows that a predicate is true of, in the order of a column; where its values may come twice, then in that of all others.
   *
   * @param known what the predicate tells of columns: the less DuckDB has to carry along with the key, the faster it is
   */
  first(name: string, limit: number, where: string, known: Row = {}): Measure<readonly Row[]> {
    const key = this.value(name);
    const most = Math.max(limit, 1);
    const others = this.fields.filter(field => field.name !== name && !Object.hasOwn(known, field.name));
    const columns = [key, ...others.map(field => this.value(field.name))];
    const whole = `struct_pack(${columns.map(value => `${value} := ${value}`).join(', ')})`;
    const wholes = this.isUnique(name) ? `arg_min(${whole}, ${key}, ${most})` : `min(${whole}, ${most})`;
    const onlyKey = others.length === 0;
    const rowOf = (found: unknown) => this.row(onlyKey ? {[key]: found} : (found as Row), known);
    return {
      sql: `${onlyKey ? `min(${key}, ${most})` : wholes} FILTER (${where})`,
      decode: json => ((json ?? []) as unknown[]).slice(0, limit).map(rowOf),
    };
  }

  /** JSON Schema of one row as read. */
  get rowSchema(): JsonSchema {
    const properties = this.fields.map(({name, type}) => {
      const {schema} = FIELD_TYPES[type];
      return [name, this.isRequired(name) ? schema : {...schema, type: [schema['type'], 'null']}] as const;
    });
    const required = this.fields.map(({name}) => name);
    return {type: 'object', additionalProperties: false, required, properties: Object.fromEntries(properties)};
  }

  /** Whether the schema has every row have a value in this column. */
  isRequired(name: string): boolean {
    return this.key.includes(name) || this.fields[this.indexOf(name)]?.constraints?.required === true;
  }

  /** Whether the schema has no value of this column come twice. */
  private isUnique(name: string): boolean {
    return this.key.join('\n') === name || this.fields[this.indexOf(name)]?.constraints?.unique === true;
  }

  /** A row by the names of its columns. */
  private row(values: Row, known: Row): Row {
    const valueOf = (name: string) => (Object.hasOwn(known, name) ? known[name] : values[this.value(name)]) ?? null;
    return Object.fromEntries(this.fields.map(({name}) => [name, valueOf(name)]));
  }

  private indexOf(name: string): number {
    const index = this.fields.findIndex(field => field.name === name);
    if (index < 0) throw new Error(`no column ${name}`);
    return index;
  }
}
