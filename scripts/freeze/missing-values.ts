import {InputError} from '../../shared/fault.ts';
import type {Format} from '../../build/read/data-package.ts';
import type {FrozenList} from '../../build/read/freezes.ts';
import {defaultMissing, textsOf, type MissingValues, type TableSchema} from '../../build/read/table-schema.ts';
import type {Order} from './order.ts';

/**
 * Returns the `missingValues` of a new freeze: those of the last freeze, the default of another format, and those of `--missing`. With
 * `--new-schema` and `--missing`, those of the last freeze are left out. Undefined means the default of the format.
 */
export function missingValuesOf(
  {missing, newSchema}: Order,
  last: FrozenList | undefined,
  format: Format,
): MissingValues | undefined {
  const kept = newSchema && missing.length > 0 ? undefined : last?.schema?.missingValues;
  if (!kept && missing.length === 0) return undefined;
  const before: MissingValues = kept ?? [];
  const texts = textsOf(before);
  // An empty cell of CSV is null, also if the last list was JSON.
  const wanted = kept && last?.format === format ? missing : [...defaultMissing(format), ...missing];
  const added = [...new Set(wanted)].filter(text => !texts.includes(text));
  const hasLabels = before.some(one => typeof one !== 'string');
  return [...before, ...(hasLabels ? added.map(value => ({value})) : added)];
}

/** Returns the schema with its missing values. Throws `InputError` if one of them is also a class, because no row could have that class. */
export function withMissing(schema: TableSchema, missingValues: MissingValues | undefined): TableSchema {
  if (!missingValues) return schema;
  const texts = textsOf(missingValues);
  for (const {name, constraints, missingValues: own} of schema.fields) {
    const value = own ? undefined : constraints?.enum?.find(one => texts.includes(String(one)));
    if (value === undefined) continue;
    const rule = `is a class of column "${name}"`;
    const fix = 'Add `--new-schema` to infer classes without it.';
    throw new InputError({code: 'FZ902', field: '--missing', value, rule, fix});
  }
  return {...schema, missingValues};
}
