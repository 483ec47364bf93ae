import type {ValidateFunction} from 'ajv';
import type {Composed} from './documents.ts';
import {PUBLIC} from '../../shared/paths.ts';
import type {Fault} from '../../shared/fault.ts';
import {once} from '../once.ts';
import {compile, violationsOf, type JsonSchema} from '../read/validator.ts';

/** Compiled schemas, and the same by what they say: many tables have the same columns. */
const compiled = new WeakMap<JsonSchema, ValidateFunction>();
const byText = new Map<string, ValidateFunction>();

/** Validates a document against its JSON Schema, which must itself be a valid schema. */
export function schemaFaults({path, value, schema}: Composed): Fault[] {
  if (!schema) return [];
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return violationsOf(validate).map(violation => ({
    file: PUBLIC + path,
    field: violation.path.join('.'),
    value: typeof violation.value === 'object' ? undefined : violation.value,
    rule: violation.rule,
  }));
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  return once(compiled, schema, () => once(byText, JSON.stringify(schema), () => compile(schema)));
}
