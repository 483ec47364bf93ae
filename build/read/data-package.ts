import {digest} from '../../shared/digest.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import {oneOrMore, tableSchema} from './table-schema.ts';
import {compile, object, type Accepted, type JsonSchema} from './validator.ts';

const path = {
  type: 'string',
  maxLength: 1000,
  pattern: '^(?!/)(?!.*(^|/)\\.)[^\\\\\\u0000-\\u001f:*?\\[\\]{}]+$',
  description:
    'a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
} as const;

const text = {type: 'string'} as const;
const count = {type: 'integer', minimum: 0, description: 'a whole number from 0'} as const;
const arrayOf = <const S extends JsonSchema>(items: S) => ({type: 'array', items}) as const;

const license = object({name: text, path: text, title: text}, []);
const licenses = arrayOf(license);
const sources = arrayOf(object({title: text, path: text, email: text, version: text}, []));

/** The path of members from a JSON object to a list in it (Table Dialect, `property`). */
export const property = {
  type: 'string',
  pattern: '^[^.\\u0000-\\u001f"]+(\\.[^.\\u0000-\\u001f"]+)*$',
  description: 'the names of the members that lead to the list, with a full stop between them',
} as const;
const delimiter = {type: 'string', pattern: '^[,;|\\t]$', description: 'one of , ; | and tab'} as const;

const resource = object(
  {
    name: {type: 'string', pattern: '^[a-z0-9._-]+$', description: 'a resource name: a-z, 0-9, ".", "_", "-"'},
    type: {const: 'table'},
    $schema: text,
    title: text,
    description: text,
    path: oneOrMore(path),
    format: {enum: ['csv', 'ndjson', 'json', 'parquet']},
    mediatype: text,
    encoding: {enum: ['utf-8', 'UTF-8']},
    bytes: count,
    hash: {
      type: 'string',
      pattern: '^sha256:[0-9a-f]{64}$',
      description: '"sha256:" and 64 lower-case hexadecimal digits',
    },
    rows: count,
    dialect: object({header: {const: true}, delimiter, property}, []),
    schema: tableSchema,
    sources,
    licenses,
  },
  ['name', 'path', 'format', 'bytes', 'hash'],
);

const time = {
  type: 'string',
  format: 'utc-time',
  description: 'a valid time in UTC, such as 2026-05-01T09:30:00Z',
} as const;
const timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'a valid time in UTC with milliseconds, such as 2026-05-01T12:00:00.000Z',
} as const;

/** The supported members of Data Package v2, and two of this project: `as_of`, and `previous`, the digest of the previous descriptor. */
const dataPackage = object(
  {
    $schema: text,
    name: text,
    id: text,
    title: lineOfText,
    description: text,
    homepage: text,
    version: text,
    created: time,
    as_of: timestamp,
    previous: {...digest, description: '64 lower-case hexadecimal digits'},
    keywords: arrayOf(text),
    contributors: arrayOf(object({title: text, path: text, email: text, roles: arrayOf(text), organization: text}, [])),
    sources,
    licenses,
    image: text,
    resources: {...arrayOf(resource), minItems: 1, maxItems: 1, description: 'a list of exactly one resource'},
  },
  ['created', 'as_of', 'resources'],
);

export type Format = Accepted<typeof resource>['format'];
export type DataPackage = Accepted<typeof dataPackage>;

/** Compiled when it is needed: an examination of documents loads this module and reads no descriptor. */
export const dataPackageValidator = () => compile<DataPackage>(dataPackage);
