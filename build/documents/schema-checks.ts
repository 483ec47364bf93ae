import type {ValidateFunction} from 'ajv';
import type {Fault} from '../../shared/fault.ts';
import {violationsOf} from '../read/validator.ts';

/** The faults of a document that must keep a schema; `file` names it from the root. */
export function schemaFaults(file: string, document: object, validate: ValidateFunction): Fault[] {
  if (validate(document)) return [];
  return violationsOf(validate).map(({path, value, rule}) => ({
    file,
    field: path.join('.'),
    value: typeof value === 'object' ? undefined : value,
    rule,
  }));
}
