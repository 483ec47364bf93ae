import type {Fault} from '../../shared/fault.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import {compile, object, type JsonPath, type JsonSchema} from './validator.ts';

const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'date', 'datetime'] as const;
const FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;

/** The Table Schema types that rows may have. */
export type FieldType = (typeof FIELD_TYPES)[number];

export type Format = (typeof FORMATS)[number];

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly constraints?: {
    readonly required?: boolean;
    readonly unique?: boolean;
    readonly enum?: readonly (string | number | boolean)[];
    /** RE2 syntax, matched against the whole value. */
    readonly pattern?: string;
  };
}

export interface TableSchema {
  readonly fields: readonly Field[];
  readonly primaryKey?: string | readonly string[];
}

export interface License {
  /** An identifier such as `CC0-1.0` (SPDX). */
  readonly name?: string;
  readonly path?: string;
  readonly title?: string;
}

export interface Resource {
  readonly name: string;
  readonly path: string | readonly string[];
  readonly format: Format;
  readonly bytes: number;
  readonly hash: string;
  readonly rows?: number;
  readonly dialect?: {readonly delimiter?: string};
  readonly schema?: TableSchema;
}

/** `datapackage.json` of a freeze: a Data Package (v2) with exactly one resource. */
export interface DataPackage {
  readonly title?: string;
  readonly description?: string;
  readonly licenses?: readonly License[];
  readonly created: string;
  readonly as_of: string;
  readonly resources: readonly [Resource];
}

/** One or several: one schema for both, so that no rule of the other form is told. */
const oneOrMore = (one: JsonSchema): JsonSchema => ({
  ...one,
  type: ['string', 'array'],
  minItems: 1,
  uniqueItems: true,
  items: one,
});
const path = {
  type: 'string',
  maxLength: 1000,
  pattern: '^(?!/)(?!.*(^|/)\\.)[^\\\\\\u0000-\\u001f:*?\\[\\]{}]+$',
  description:
    'a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
} as const;

const text = {type: 'string'} as const;
const count = {type: 'integer', minimum: 0, description: 'a whole number from 0'} as const;
const list = (items: JsonSchema): JsonSchema => ({type: 'array', items});

const licenses = list(object({name: text, path: text, title: text}, []));
const sources = list(object({title: text, path: text, email: text, version: text}, []));
export const fieldName = {
  type: 'string',
  pattern: '^(?!__proto__$)[^\\u0000-\\u001f"]{1,100}$',
  description: 'a column name: 1 to 100 characters, no quotation mark, not __proto__',
} as const;

const field = object(
  {
    name: fieldName,
    type: {type: 'string', enum: FIELD_TYPES},
    title: text,
    description: text,
    example: {},
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

const tableSchema = object(
  {
    $schema: text,
    fields: {type: 'array', minItems: 1, items: field},
    fieldsMatch: {const: 'exact'},
    primaryKey: oneOrMore(fieldName),
    missingValues: {const: ['']},
  },
  ['fields'],
);

const delimiter = {type: 'string', pattern: '^[,;|\\t]$', description: 'one of , ; | and the tabulator'} as const;
const resource = object(
  {
    name: {type: 'string', pattern: '^[a-z0-9._-]+$', description: 'a resource name: a-z, 0-9, ".", "_", "-"'},
    type: {const: 'table'},
    $schema: text,
    title: text,
    description: text,
    path: oneOrMore(path),
    format: {type: 'string', enum: FORMATS},
    mediatype: text,
    encoding: {type: 'string', enum: ['utf-8', 'UTF-8']},
    bytes: count,
    hash: {
      type: 'string',
      pattern: '^sha256:[0-9a-f]{64}$',
      description: '"sha256:" and 64 lower-case hexadecimal digits',
    },
    rows: count,
    dialect: object({header: {const: true}, delimiter}, []),
    schema: tableSchema,
    sources,
    licenses,
  },
  ['name', 'path', 'format', 'bytes', 'hash'],
);

const moment = {
  type: 'string',
  format: 'moment',
  description: 'a moment in UTC that exists, such as 2026-05-01T09:30:00Z',
} as const;
const timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'a moment in UTC with milliseconds that exists, such as 2026-05-01T12:00:00.000Z',
} as const;

/** The members of Data Package v2 that a freeze may have, and its own `as_of`. */
export const validateDataPackage = compile<DataPackage>(
  object(
    {
      $schema: text,
      name: text,
      id: text,
      title: lineOfText,
      description: text,
      homepage: text,
      version: text,
      created: moment,
      as_of: timestamp,
      keywords: list(text),
      contributors: list(object({title: text, path: text, email: text, roles: list(text), organization: text}, [])),
      sources,
      licenses,
      image: text,
      resources: {...list(resource), minItems: 1, maxItems: 1, description: 'a list of exactly one resource'},
    },
    ['created', 'as_of', 'resources'],
  ),
);

/** The fault of a member of a resource, with its line. */
export type FaultAt = (path: JsonPath, value: unknown, rule: string) => Fault;

/** What JSON Schema cannot say of a Table Schema: columns that are one to DuckDB, keys without a column, enums of another type. */
export function tableSchemaFaults({fields, primaryKey = []}: TableSchema, fault: FaultAt): Fault[] {
  const names = fields.map(({name}) => name);
  const folded = names.map(name => name.toLowerCase());
  const doubled = 'is the name of two columns (upper and lower case count as one)';
  return [
    ...names.flatMap((name, index) =>
      folded.indexOf(name.toLowerCase()) < index ? fault(['schema', 'fields', index, 'name'], name, doubled) : [],
    ),
    ...[primaryKey]
      .flat()
      .filter(name => !names.includes(name))
      .map(name => fault(['schema', 'primaryKey'], name, 'is not a column')),
    ...fields.flatMap(({type, constraints}, index) =>
      (constraints?.enum ?? []).flatMap((value, at) => {
        const path = ['schema', 'fields', index, 'constraints', 'enum', at];
        return isOfType(type, value) ? [] : fault(path, value, `is not of the column's type, ${type}`);
      }),
    ),
  ];
}

function isOfType(type: FieldType, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === (type === 'boolean' ? 'boolean' : 'string');
}
