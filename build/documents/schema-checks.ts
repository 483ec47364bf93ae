import type {ValidateFunction} from 'ajv';
import type {Fault} from '../../shared/fault.ts';
import {compile, violationsOf, type JsonSchema} from '../read/validator.ts';

/** A JSON Schema that is ready to check documents. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  readonly validate: ValidateFunction;
}

/** Compiled JSON Schemas by what they say: many products have documents of one shape. */
export class SchemaChecks {
  readonly #compiled = new Map<string, CompiledSchema>();

  compiled(schema: JsonSchema): CompiledSchema {
    const text = JSON.stringify(schema);
    const known = this.#compiled.get(text) ?? {schema, validate: compile(schema)};
    this.#compiled.set(text, known);
    return known;
  }
}

/** The faults of a document that must keep a schema; `file` names it from the root. */
export function schemaFaults(file: string, document: object, {validate}: CompiledSchema): Fault[] {
  if (validate(document)) return [];
  return violationsOf(validate).map(({path, value, rule}) => ({
    file,
    field: path.join('.'),
    value: typeof value === 'object' ? undefined : value,
    rule,
  }));
}
