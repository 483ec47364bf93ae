import type {ValidateFunction} from 'ajv';
import type {Composed} from '../compose/documents.ts';
import type {Fault} from '../fault.ts';
import {compile, violationsOf, type JsonSchema} from '../read/validator.ts';

/** Compiled schemas by their shape: products that differ in title only share one. */
const compiled = new Map<string, ValidateFunction>();

/** Validates a document against its JSON Schema, which must itself be a valid schema. */
export function schemaFaults({path, value, schema}: Composed): Fault[] {
  if (!schema) return [];
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return violationsOf(validate).map(violation => ({
    file: `public${path}`,
    field: violation.path.join('.'),
    value: typeof violation.value === 'object' ? undefined : violation.value,
    rule: violation.rule,
  }));
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const shape = {...schema, title: ''};
  const key = JSON.stringify(shape);
  const validate = compiled.get(key) ?? compile(shape);
  compiled.set(key, validate);
  return validate;
}
