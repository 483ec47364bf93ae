import {Ajv2020, type ErrorObject, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {ErrorCode} from '../../shared/error-codes.ts';
import type {JsonPath} from '../../shared/json-text.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

// Tests show that this project's schemas are valid, so `validateSchema` is off to save time.
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
  // Optimizing the generated code takes longer than it saves.
  code: {optimize: false},
});
addFormats.default(ajv, ['date', 'email', 'uri']);
ajv.addFormat('timestamp', isTimestamp);
ajv.addFormat('utc-time', isUtcTime);
ajv.addFormat('origin', text => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text);

/** True for an existing time in UTC with milliseconds, for example `2026-05-01T00:00:00.000Z` (specification, `as_of`). */
export function isTimestamp(text: string): boolean {
  const date = new Date(text);
  return text.length === 24 && !Number.isNaN(date.valueOf()) && date.toISOString() === text;
}

/** True for an existing time in UTC, with or without fractional seconds, for example `2026-05-01T09:30:00Z`. */
function isUtcTime(text: string): boolean {
  const [, seconds] = /^(.{19})(?:\.\d+)?Z$/.exec(text) ?? [];
  return seconds !== undefined && isTimestamp(`${seconds}.000Z`);
}

/** Returns the schema of an object that allows only these members. All are required unless `required` is given. */
export function object<const P extends JsonSchema, const R extends keyof P & string = keyof P & string>(
  properties: P,
  required?: readonly R[],
) {
  const names = required ?? (Object.keys(properties) as R[]);
  return {type: 'object', additionalProperties: false, required: names, properties} as const;
}

/**
 * Adds null to the types of a schema. A schema that allows every type is unchanged. Ajv's strict mode accepts a list of types only for one
 * type and null, so several types are an `anyOf`.
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

/** The TypeScript type of the values that a schema accepts, as precisely as possible. */
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

/** By schema text, because many products have documents of the same shape, as do later builds in this process. */
const compiled = new Map<string, ValidateFunction>();

/** Compiles a schema, at most once. This is the only cast of validation: values that the schema accepts are assumed to be a `T`. */
export function compile<T>(schema: JsonSchema): ValidateFunction<T> {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate as ValidateFunction<T>;
}

/** A violation of a schema: the path, the value, and an error message. */
export interface Violation {
  readonly path: JsonPath;
  readonly value: unknown;
  readonly code: ErrorCode;
  readonly rule: string;
  /** The members that the schema allows, if the error is an unknown one. */
  readonly known?: readonly string[];
}

/** Returns the errors of the last validation, without duplicates. The path of a missing or unknown member includes the member. */
export function violationsOf(validate: ValidateFunction): Violation[] {
  const found = (validate.errors ?? []).map(violationOf);
  return [...new Map(found.map(one => [JSON.stringify([one.path, one.rule]), one])).values()];
}

function violationOf(error: ErrorObject): Violation {
  const path = pointerPath(error.instancePath);
  const code = 'FZ203';
  const {missingProperty: missing, additionalProperty: unknown} = error.params as Readonly<Record<string, string>>;
  if (missing !== undefined) return {path: [...path, missing], value: undefined, code, rule: 'is missing'};
  if (unknown !== undefined) {
    const {properties = {}} = error.parentSchema as {readonly properties?: object};
    const known = Object.keys(properties);
    return {path: [...path, unknown], value: undefined, code, rule: 'is not a known field', known};
  }
  return {path, value: error.data, code, rule: violationRule(error)};
}

/** The schema's own `description` as an error message, or else one for the keyword. */
function violationRule(error: ErrorObject): string {
  if (error.keyword === 'uniqueItems')
    return `contains ${JSON.stringify((error.data as unknown[])[Number(error.params['j'])])} twice`;
  if (error.keyword === 'minItems') return 'is an empty list';
  if (error.keyword === 'minProperties') return 'is an empty object';
  if (error.keyword === 'maxItems' && (error.parentSchema as {description?: string}).description === undefined)
    return `has ${(error.data as unknown[]).length} items, and may have at most ${String(error.params['limit'])}`;
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
