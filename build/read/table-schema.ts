import type {Fault} from '../../shared/fault.ts';
import type {Format} from './data-package.ts';
import {MAX_COLUMNS, MAX_SCALE} from './limits.ts';
import {object, type Accepted, type JsonSchema} from './validator.ts';

/** One value or a list of them. One schema for both forms, so that an error never names a rule of the other form. */
export const oneOrMore = <const S extends JsonSchema>(one: S) =>
  ({...one, type: ['string', 'array'], minItems: 1, uniqueItems: true, items: one}) as const;
const text = {type: 'string'} as const;

export const fieldName = {
  type: 'string',
  pattern: '^(?!__proto__$)[^\\u0000-\\u001f"]{1,100}$',
  description: 'a column name: 1 to 100 characters, no quotation mark, not __proto__',
} as const;

/** Texts that stand for a missing value (Table Schema v2): each is a text, or an object that also has a label. */
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
 * The types are those of Table Schema that rows may have; a pattern is RE2 syntax, matched against the whole value. `scale` is our own: a
 * `number` that has it is an exact decimal with so many digits after its point.
 */
const field = object(
  {
    name: fieldName,
    type: {type: 'string', enum: ['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'object', 'array']},
    scale: {type: 'integer', minimum: 0, maximum: MAX_SCALE, description: `a whole number from 0 to ${MAX_SCALE}`},
    title: text,
    description: text,
    /** Not of Table Schema, which allows further members: what its numbers count, e.g. `km²`. */
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
/** The types of what holds other values. */
export const NESTED_TYPES: readonly string[] = ['object', 'array'] satisfies FieldType[];
export type Field = Accepted<typeof field>;
export type TableSchema = Accepted<typeof tableSchema>;
export type MissingValues = NonNullable<TableSchema['missingValues']>;

/** The fault of a member of a resource. */
export type FaultAt = (field: string, value: unknown, rule: string) => Fault;

/** What JSON Schema cannot say of a Table Schema: columns that are one to DuckDB, keys without a column, rules that a type cannot have. */
export function tableSchemaFaults({fields, primaryKey = [], missingValues = []}: TableSchema, fault: FaultAt): Fault[] {
  const names = fields.map(({name}) => name);
  const known = new Set(names);
  // The last of a name stays: from the end, that is the first.
  const first = new Map(names.map((name, index) => [name.toLowerCase(), index] as const).reverse());
  const doubled = 'is the name of two columns (upper and lower case count as one)';
  return [
    ...names.flatMap((name, index) =>
      (first.get(name.toLowerCase()) ?? index) < index ? fault(`schema.fields[${index}].name`, name, doubled) : [],
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
        const rule =
          'is a class and one of "missingValues" as well, so no row could have it: remove it from one of them';
        return textsOf(own).includes(String(value)) ? fault(member, value, rule) : [];
      }),
    ),
  ];
}

/** The members of a field that its type cannot have: objects and lists are no keys and no classes, and match no pattern. */
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

function isOfType(type: FieldType, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (NESTED_TYPES.includes(type)) return true; // Reported as a whole.
  return typeof value === (type === 'boolean' ? 'boolean' : 'string');
}

/** The texts of `missingValues` of Table Schema, with or without labels. */
export function textsOf(missing: MissingValues): readonly string[] {
  return missing.map(one => (typeof one === 'string' ? one : one.value));
}

/** The missing values of a schema without `missingValues`: the empty text in CSV, which has no null; none in other formats, which have null. */
export function defaultMissing(format: Format): readonly string[] {
  return format === 'csv' ? [''] : [];
}

/** The texts that represent a missing value if a schema has these `missingValues`, or none. */
export function missingOf(missingValues: MissingValues | undefined, format: Format): readonly string[] {
  return missingValues ? textsOf(missingValues) : defaultMissing(format);
}

/**
 * The JSON Schema of a column with its title and description, which takes the place of what the schema says of the form of values. The unit
 * ends the description: JSON Schema has no keyword for it, and strict validators refuse unknown ones.
 */
export function withWords(schema: JsonSchema, {title, description, unit}: Field): JsonSchema {
  const words = [description, ...(unit === undefined ? [] : [`Unit: ${unit}.`])];
  const told = words.filter(word => word !== undefined).join(' ');
  return {...schema, ...(title !== undefined && {title}), ...(told !== '' && {description: told})};
}

/** Title, description and unit by the name of the column. Columns without any of these are absent. */
export type ColumnWords = Readonly<Record<string, Pick<Field, 'title' | 'description' | 'unit'>>>;

/** Title, description and unit of fields, by the names that the columns are sold under. */
export function columnWords(columns: readonly (readonly [name: string, field: Field])[]): ColumnWords {
  const worded = columns.flatMap(([name, {title, description, unit}]) => {
    const words = {
      ...(title !== undefined && {title}),
      ...(description !== undefined && {description}),
      ...(unit !== undefined && {unit}),
    };
    return Object.keys(words).length === 0 ? [] : [[name, words] as const];
  });
  return Object.fromEntries(worded);
}

/** Title, description and unit of one column. The name may be that of a member which every object has, such as `constructor`. */
export function wordsOf(words: ColumnWords, name: string): ColumnWords[string] {
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? {};
}
