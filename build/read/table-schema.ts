import type {Fault} from '../../shared/fault.ts';
import type {Field, FieldType, TableSchema} from './data-package.ts';
import type {JsonPath} from './validator.ts';

/** The fault of a member of a resource, with its line. */
export type FaultAt = (path: JsonPath, value: unknown, rule: string) => Fault;

/** What JSON Schema cannot say of a Table Schema: columns that are one to DuckDB, keys without a column, enums of another type. */
export function tableSchemaFaults({fields, primaryKey = []}: TableSchema, fault: FaultAt): Fault[] {
  const names = fields.map(({name}) => name);
  const folded = names.map(name => name.toLowerCase());
  return [
    ...names.flatMap((name, index) =>
      folded.indexOf(name.toLowerCase()) < index
        ? [
            fault(
              ['schema', 'fields', index, 'name'],
              name,
              'is the name of two columns (upper and lower case count as one)',
            ),
          ]
        : [],
    ),
    ...[primaryKey]
      .flat()
      .flatMap(name => (names.includes(name) ? [] : [fault(['schema', 'primaryKey'], name, 'is not a column')])),
    ...fields.flatMap((field, index) => enumFaults(field, ['schema', 'fields', index, 'constraints', 'enum'], fault)),
  ];
}

function enumFaults({type, constraints}: Field, path: JsonPath, fault: FaultAt): Fault[] {
  return (constraints?.enum ?? []).flatMap((value, index) =>
    IS_OF_TYPE[type](value) ? [] : [fault([...path, index], value, `is not of the column's type, ${type}`)],
  );
}

const IS_OF_TYPE: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: value => typeof value === 'boolean',
  date: value => typeof value === 'string',
  datetime: value => typeof value === 'string',
};
