import {compile, type JsonSchema} from './validator.ts';
import {lineOfText} from '../../shared/line-of-text.ts';

/** The Table Schema types that rows may have. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime';

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

export type Format = 'csv' | 'ndjson' | 'json' | 'parquet';

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
const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const list = (items: JsonSchema): JsonSchema => ({type: 'array', items});

const licenses = list(object({name: text, path: text, title: text}));
const sources = list(object({title: text, path: text, email: text, version: text}));
export const fieldName = {
  type: 'string',
  pattern: '^(?!__proto__$)[^\\u0000-\\u001f"]{1,100}$',
  description: 'a column name: 1 to 100 characters, no quotation mark, not __proto__',
} as const;

const field = object(
  {
    name: fieldName,
    type: {type: 'string', enum: ['string', 'integer', 'number', 'boolean', 'date', 'datetime']},
    title: text,
    description: text,
    example: {},
    constraints: object({
      required: {type: 'boolean'},
      unique: {type: 'boolean'},
      enum: {type: 'array', minItems: 1, uniqueItems: true, items: {type: ['string', 'number', 'boolean']}},
      pattern: text,
    }),
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

const resource = object(
  {
    name: {type: 'string', pattern: '^[a-z0-9._-]+$', description: 'a resource name: a-z, 0-9, ".", "_", "-"'},
    type: {const: 'table'},
    $schema: text,
    title: text,
    description: text,
    path: oneOrMore(path),
    format: {type: 'string', enum: ['csv', 'ndjson', 'json', 'parquet']},
    mediatype: text,
    encoding: {type: 'string', enum: ['utf-8', 'UTF-8']},
    bytes: count,
    hash: {
      type: 'string',
      pattern: '^sha256:[0-9a-f]{64}$',
      description: '"sha256:" and 64 lower-case hexadecimal digits',
    },
    rows: count,
    dialect: object({
      header: {const: true},
      delimiter: {type: 'string', pattern: '^[,;|\\t]$', description: 'one of , ; | and the tabulator'},
    }),
    schema: tableSchema,
    sources,
    licenses,
  },
  ['name', 'path', 'format', 'bytes', 'hash'],
);

/** The members of Data Package v2 that a freeze may have, and its own `as_of`. */
const dataPackageSchema = object(
  {
    $schema: text,
    name: text,
    id: text,
    title: lineOfText,
    description: text,
    homepage: text,
    version: text,
    created: {
      type: 'string',
      format: 'moment',
      description: 'a moment in UTC that exists, such as 2026-05-01T09:30:00Z',
    },
    as_of: {
      type: 'string',
      format: 'timestamp',
      description: 'a moment in UTC with milliseconds that exists, such as 2026-05-01T12:00:00.000Z',
    },
    keywords: list(text),
    contributors: list(object({title: text, path: text, email: text, roles: list(text), organization: text})),
    sources,
    licenses,
    image: text,
    resources: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: resource,
      description: 'a list of exactly one resource',
    },
  },
  ['created', 'as_of', 'resources'],
);

export const validateDataPackage = compile<DataPackage>(dataPackageSchema);
