import type {z} from '@x402/core/schemas';

/** A violation of a schema: the path of the member, and the end of the sentence "<member> …". */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

/** Parses a JSON value with a schema, or returns all violations. Members that are not in the schema are removed. */
export function shaped<T>(
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  json: unknown,
): {readonly value: T} | {readonly misfits: readonly [Misfit, ...Misfit[]]} {
  const {success, data, error} = schema.safeParse(json, {errorMap: inWords});
  if (success) return {value: data};
  const [first, ...more] = error.issues.map(({path, message}): Misfit => ({path, rule: message}));
  if (!first) throw error;
  return {misfits: [first, ...more]};
}

/** The messages for checks without their own message. */
const inWords: z.ZodErrorMap = (issue, {defaultError}) => {
  const isMissing = 'received' in issue && (issue.received === undefined || issue.received === 'undefined');
  if (isMissing) return {message: 'is missing'};
  if (issue.code === 'invalid_type') return {message: `is not of type ${issue.expected}`};
  if (issue.code === 'invalid_literal') return {message: `is not ${JSON.stringify(issue.expected)}`};
  return {message: defaultError};
};
