import type {Fault} from '../../shared/fault.ts';
import type {Format} from './data-package.ts';
import {MAX_COLUMNS, MAX_DIGITS} from './limits.ts';
import {object, type Accepted, type JsonSchema} from './validator.ts';

/** One value or a list of them. One schema for both forms, so that an error never mentions the other form. */
export const oneOrMore = <const S extends JsonSchema>(one: S) =>
  ({...one, type: ['string', 'array'], minItems: 1, uniqueItems: true, items: one}) as const;
const text = {type: 'string'} as const;

export const fieldName = {
  type: 'string',
  pattern: '^(?!__proto__$)[^\\u0000-\\u001f"]{1,100}$',
  description: 'a column name: 1 to 100 characters, no quotation mark, not __proto__',
} as const;

/** Strings that represent a missing value (Table Schema v2): a string, or an object with a label. */
const missingValues = {
  type: 'array',
  uniqueItems: true,
  items: {
    type: ['string', 'object'],
    additionalProperties: false,
    required: ['value'],
    properties: {value: text, label: text},
    description: 'a text, or an object with a "value" and a "label"',
  },
} as const;

/**
 * A column of rows. The types are from Table Schema; a pattern is in RE2 syntax and matches the whole value. `scale` is an extension: a
 * `number` that has it is an exact decimal with that many digits after its point.
 */
const field = object(
  {
    name: fieldName,
    type: {enum: ['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'object', 'array']},
    scale: {type: 'integer', minimum: 0, maximum: MAX_DIGITS, description: `a whole number from 0 to ${MAX_DIGITS}`},
    title: text,
    description: text,
    /** An extension, which Table Schema allows: what its numbers count, for example `km²`. */
    unit: text,
    example: {},
    /** Replaces that of the schema. */
    missingValues,
    constraints: object(
      {
        required: {type: 'boolean'},
        unique: {type: 'boolean'},
        enum: {type: 'array', minItems: 1, uniqueItems: true, items: {type: ['string', 'number', 'boolean']}},
        pattern: text,
      },
      [],
    ),
  },
  ['name', 'type'],
);

export const tableSchema = object(
  {
    $schema: text,
    fields: {type: 'array', minItems: 1, maxItems: MAX_COLUMNS, items: field},
    fieldsMatch: {const: 'exact'},
    primaryKey: oneOrMore(fieldName),
    missingValues,
  },
  ['fields'],
);

export type FieldType = Field['type'];
/** The types of values that contain other values. */
export const NESTED_TYPES: readonly string[] = ['object', 'array'] satisfies FieldType[];
export type Field = Accepted<typeof field>;
export type TableSchema = Accepted<typeof tableSchema>;
export type MissingValues = NonNullable<TableSchema['missingValues']>;

/** Returns an error about a member of a resource. */
export type FaultAt = (field: string, value: unknown, rule: string) => Fault;

/** Returns errors that JSON Schema cannot express, such as columns that are equal for DuckDB, and keys without a column. */
export function tableSchemaFaults({fields, primaryKey = [], missingValues = []}: TableSchema, fault: FaultAt): Fault[] {
  const names = fields.map(({name}) => name);
  const known = new Set(names);
  const small = names.map(name => name.toLowerCase());
  const doubled = 'is the name of two columns (upper and lower case count as one)';
  return [
    ...names.flatMap((name, index) =>
      small.indexOf(name.toLowerCase()) < index ? fault(`schema.fields[${index}].name`, name, doubled) : [],
    ),
    ...[primaryKey]
      .flat()
      .filter(name => !known.has(name))
      .map(name => fault('schema.primaryKey', name, 'is not a column')),
    ...fields.flatMap((field, index) =>
      unfitting(field, [primaryKey].flat()).map(([member, value]) =>
        fault(`schema.fields[${index}].${member}`, value, `is not for a column of type ${field.type}`),
      ),
    ),
    ...fields.flatMap(({type, constraints, missingValues: own = missingValues}, index) =>
      (constraints?.enum ?? []).flatMap((value, at) => {
        const member = `schema.fields[${index}].constraints.enum[${at}]`;
        if (!isOfType(type, value)) return fault(member, value, `is not of the column's type, ${type}`);
        const rule = 'is a class and one of "missingValues" as well, so no row could have it';
        const fix = 'Remove it from one of them.';
        return textsOf(own).includes(String(value)) ? {...fault(member, value, rule), fix} : [];
      }),
    ),
  ];
}

/** The members that a field of this type cannot have. Objects and lists cannot be keys or classes, or match a pattern. */
function unfitting(
  {name, type, scale, constraints = {}}: Field,
  key: readonly string[],
): (readonly [string, unknown])[] {
  const {unique, enum: values, pattern} = constraints;
  const ofValues = {...(unique && {unique}), ...(values && {enum: values}), ...(pattern !== undefined && {pattern})};
  const isNested = NESTED_TYPES.includes(type);
  return [
    ...(scale !== undefined && type !== 'number' ? [['scale', scale] as const] : []),
    ...(isNested ? Object.entries(ofValues).map(([rule, value]) => [`constraints.${rule}`, value] as const) : []),
    ...(isNested && key.includes(name) ? [['name', name] as const] : []),
  ];
}

/** True if a class can be in a column of this type. */
export function isOfType(type: FieldType, value: unknown): value is string | number | boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (NESTED_TYPES.includes(type)) return true; // Reported as a whole.
  return typeof value === (type === 'boolean' ? 'boolean' : 'string');
}

/** Returns the strings of `missingValues`, with or without labels. */
export function textsOf(missing: MissingValues): readonly string[] {
  return missing.map(one => (typeof one === 'string' ? one : one.value));
}

/** Returns the missing values of a schema that names none: only CSV has one, the empty string, because it cannot express null. */
export function defaultMissing(format: Format): readonly string[] {
  return format === 'csv' ? [''] : [];
}

/** Returns the strings that represent a missing value. */
export function missingOf(missingValues: MissingValues | undefined, format: Format): readonly string[] {
  return missingValues ? textsOf(missingValues) : defaultMissing(format);
}

/**
 * Adds title and description of a column to its JSON Schema, replacing the description of the format of its values. The unit is added to
 * the description: JSON Schema lacks a keyword for it, and strict validators refuse unknown keywords.
 */
export function withWords(schema: JsonSchema, {title, description, unit}: Field): JsonSchema {
  const words = [description, ...(unit === undefined ? [] : [`Unit: ${unit}.`])];
  const fullText = words.filter(word => word !== undefined).join(' ');
  return {...schema, ...(title !== undefined && {title}), ...(fullText !== '' && {description: fullText})};
}

/** Title, description and unit by column name. Columns without any of these are absent. */
export type ColumnWords = Readonly<Record<string, Pick<Field, 'title' | 'description' | 'unit'>>>;

/** Returns title, description and unit of fields, by the names that the columns are sold under. */
export function columnWords(columns: readonly (readonly [name: string, field: Field])[]): ColumnWords {
  const worded = columns.map(
    ([name, {title, description, unit}]) => [name, given({title, description, unit})] as const,
  );
  return Object.fromEntries(worded.filter(([, words]) => Object.keys(words).length > 0));
}

/** Returns an object without its undefined members. */
export function given<T extends object>(members: T): {readonly [K in keyof T]?: NonNullable<T[K]>} {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Returns title, description and unit of a column. Safe for names such as `constructor`, which every object has. */
export function wordsOf(words: ColumnWords, name: string): ColumnWords[string] {
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? {};
}
