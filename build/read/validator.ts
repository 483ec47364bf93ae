import {Ajv2020, type ErrorObject, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {isMoment, isTimestamp} from './timestamp.ts';

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
ajv.addFormat('origin', isOrigin);

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

/** Compiles a schema. The one `as` of validation: what the schema accepts is taken to be a `T`. */
export function compile<T>(schema: JsonSchema): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

/** A place in a JSON value: the keys and indexes that lead to it. */
export type JsonPath = readonly (string | number)[];

/** One broken rule of a schema: where, which value, and the rule in words. */
export interface Violation {
  readonly path: JsonPath;
  readonly value: unknown;
  readonly rule: string;
}

/** The errors of the last validation in words, each once; the member that is missing or unknown ends the path. */
export function violationsOf(validate: ValidateFunction): Violation[] {
  const seen = new Set<string>();
  return (validate.errors ?? []).map(violationOf).filter(({path, rule}) => {
    const before = seen.size;
    return seen.add(JSON.stringify([path, rule])).size > before;
  });
}

function violationOf(error: ErrorObject): Violation {
  const path = pathOf(error.instancePath);
  switch (error.keyword) {
    case 'required':
      return {path: [...path, String(error.params['missingProperty'])], value: undefined, rule: 'is missing'};
    case 'additionalProperties':
      return {
        path: [...path, String(error.params['additionalProperty'])],
        value: undefined,
        rule: 'is not a known field',
      };
    default:
      return {path, value: error.data, rule: ruleOf(error)};
  }
}

/** A rule in words: the schema's own `description` where it has one, else the keyword's. */
function ruleOf(error: ErrorObject): string {
  if (error.keyword === 'uniqueItems')
    return `holds ${JSON.stringify((error.data as unknown[])[Number(error.params['j'])])} twice`;
  if (error.keyword === 'minItems') return 'is an empty list';
  const schema = error.parentSchema as {description?: string; enum?: unknown[]; type?: string} | undefined;
  if (schema?.description !== undefined) return `is not ${schema.description}`;
  if (error.keyword === 'enum') return `is not one of ${(schema?.enum ?? []).join(', ')}`;
  if (error.keyword === 'type') return `is not of type ${[error.params['type']].flat().join(' or ')}`;
  if (error.keyword === 'const') return `is not ${JSON.stringify(error.params['allowedValue'])}`;
  return error.message ?? `breaks the rule "${error.keyword}"`;
}

function pathOf(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1);
  return parts
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map(part => (/^\d+$/.test(part) ? Number(part) : part));
}
