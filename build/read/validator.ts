import {Ajv2020, type ErrorObject, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {JsonPath} from '../../shared/json-text.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

// The schemas are our own: that they are valid schemas is what tests show, not every start.
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
  // Making the code shorter takes longer than running it as it is.
  code: {optimize: false},
});
addFormats.default(ajv, ['date', 'email', 'uri']);
ajv.addFormat('timestamp', isTimestamp);
ajv.addFormat('moment', isMoment);
ajv.addFormat('origin', text => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text);

/** True of a moment in UTC with milliseconds that exists, e.g. `2026-05-01T00:00:00.000Z` (specification, `as_of`). */
export function isTimestamp(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.valueOf()) && date.toISOString() === text;
}

/** True of a moment in UTC that exists, with or without parts of a second, e.g. `2026-05-01T09:30:00Z`. */
function isMoment(text: string): boolean {
  const [, seconds] = /^(.{19})(?:\.\d+)?Z$/.exec(text) ?? [];
  return seconds !== undefined && isTimestamp(`${seconds}.000Z`);
}

/** An object without other members than these; all are required unless told otherwise. */
export function object<const P extends JsonSchema, const R extends keyof P & string = keyof P & string>(
  properties: P,
  required?: readonly R[],
) {
  const names = required ?? (Object.keys(properties) as R[]);
  return {type: 'object', additionalProperties: false, required: names, properties} as const;
}

/**
 * The schema with null among its types; one that allows every type stays. Ajv's strict mode refuses a list of types, except one type and
 * null: several types are an `anyOf`.
 */
export function orNull(schema: JsonSchema): JsonSchema {
  const {type, anyOf} = schema;
  const allowsNull = [type, anyOf]
    .flat()
    .some(one => one === 'null' || (one as JsonSchema | undefined)?.['type'] === 'null');
  if (allowsNull) return schema;
  if (Array.isArray(anyOf)) return {...schema, anyOf: [...(anyOf as readonly JsonSchema[]), {type: 'null'}]};
  return type === undefined ? schema : {...schema, type: [type, 'null']};
}

/** The values that a schema of this folder accepts, as far as types can tell. */
export type Accepted<S> = S extends {readonly const: infer V} | {readonly enum: readonly (infer V)[]}
  ? V
  : S extends {readonly type: infer T}
    ? OfType<S>[(T extends readonly (infer One)[] ? One : T) & keyof OfType<S>]
    : unknown;

interface OfType<S> {
  readonly string: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly number: number;
  readonly array: S extends {readonly items: infer I}
    ? S extends {readonly minItems: 1; readonly maxItems: 1}
      ? readonly [Accepted<I>]
      : readonly Accepted<I>[]
    : never;
  readonly object: S extends {readonly properties: infer P; readonly required: readonly (infer R)[]}
    ? {readonly [K in keyof P & R]: Accepted<P[K]>} & {readonly [K in Exclude<keyof P, R>]?: Accepted<P[K]>}
    : never;
}

/** By what they say: many products have documents of one shape, and a later build in this process those of the one before. */
const compiled = new Map<string, ValidateFunction>();

/** Compiles a schema, each once. The one `as` of validation: what the schema accepts is taken to be a `T`. */
export function compile<T>(schema: JsonSchema): ValidateFunction<T> {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate as ValidateFunction<T>;
}

/** One broken rule of a schema: where, which value, and the rule in words. */
export interface Violation {
  readonly path: JsonPath;
  readonly value: unknown;
  readonly rule: string;
}

/** The errors of the last validation in words, each once; the member that is missing or unknown ends the path. */
export function violationsOf(validate: ValidateFunction): Violation[] {
  const found = (validate.errors ?? []).map(violationOf);
  return [...new Map(found.map(one => [JSON.stringify([one.path, one.rule]), one])).values()];
}

function violationOf(error: ErrorObject): Violation {
  const path = pointerPath(error.instancePath);
  const {missingProperty: missing, additionalProperty: unknown} = error.params as Readonly<Record<string, string>>;
  if (missing !== undefined) return {path: [...path, missing], value: undefined, rule: 'is missing'};
  if (unknown !== undefined) return {path: [...path, unknown], value: undefined, rule: 'is not a known field'};
  return {path, value: error.data, rule: violationRule(error)};
}

/** A rule in words: the schema's own `description` where it has one, else the keyword's. */
function violationRule(error: ErrorObject): string {
  if (error.keyword === 'uniqueItems')
    return `holds ${JSON.stringify((error.data as unknown[])[Number(error.params['j'])])} twice`;
  if (error.keyword === 'minItems') return 'is an empty list';
  if (error.keyword === 'maxItems' && (error.parentSchema as {description?: string}).description === undefined)
    return `has ${(error.data as unknown[]).length} items, and may have ${String(error.params['limit'])} at most`;
  const schema = error.parentSchema as {description?: string; enum?: unknown[]; type?: string} | undefined;
  if (schema?.description !== undefined) return `is not ${schema.description}`;
  if (error.keyword === 'enum') return `is not one of ${(schema?.enum ?? []).join(', ')}`;
  if (error.keyword === 'type') return `is not of type ${[error.params['type']].flat().join(' or ')}`;
  if (error.keyword === 'const') return `is not ${JSON.stringify(error.params['allowedValue'])}`;
  return error.message ?? `breaks the rule "${error.keyword}"`;
}

function pointerPath(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1);
  return parts.map(part => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));
}
