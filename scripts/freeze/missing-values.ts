import {InputError} from '../../shared/fault.ts';
import type {Format} from '../../build/read/data-package.ts';
import {defaultMissing, textsOf, type MissingValues, type TableSchema} from '../../build/read/table-schema.ts';
import type {Order} from './order.ts';

/**
 * Returns the `missingValues` of a new freeze: those of the last freeze and those of `--missing`. With `--new-schema`, only those of
 * `--missing`. Undefined means the defaults of the format.
 */
export function missingValuesOf(
  {missing, newSchema}: Order,
  last: TableSchema | undefined,
  format: Format,
): MissingValues | undefined {
  const kept = last?.missingValues;
  if (missing.length === 0) return kept;
  const before: MissingValues = (newSchema ? undefined : kept) ?? defaultMissing(format);
  const texts = textsOf(before);
  const added = [...new Set(missing)].filter(text => !texts.includes(text));
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
