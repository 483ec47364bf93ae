import type {Json} from '../kind.ts';
import type {JsonSchema} from '../../read/validator.ts';
import {jsonTypeOf} from './json-types.ts';
import type {QueryResult} from './session.ts';
import {QueryFault} from './fault.ts';

/** The rows of a result as documents hold them. */
export interface Typed {
  readonly values: readonly Json[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

/** Throws `QueryFault` for what documents do not hold; `place` names a row. */
export function typed({columns, rows}: QueryResult, place: (row: number) => string): Typed {
  const names = columns.map(({name}) => name);
  const doubled = names.find((name, index) => names.indexOf(name) < index);
  if (doubled !== undefined) throw new QueryFault(`has two columns called "${doubled}"`);
  if (names.includes('__proto__')) throw new QueryFault('has a column called "__proto__"');
  const types = columns.map(({name, type}) => ({name, form: jsonTypeOf(type, name)}));
  return {
    values: rows.map((row, index) =>
      Object.fromEntries(
        types.map(({name, form}, column) => [name, form.value(row[column], `${place(index)}${name}`)]),
      ),
    ),
    properties: Object.fromEntries(types.map(({name, form}) => [name, form.schema])),
  };
}
