import type {Format, MissingValues} from './data-package.ts';

/** The texts of `missingValues` of Table Schema, with or without labels. */
export function textsOf(missing: MissingValues): readonly string[] {
  return missing.map(one => (typeof one === 'string' ? one : one.value));
}

/** The missing values of a schema without `missingValues`: the empty text in CSV, which has no null; none in other formats, which have null. */
export function defaultMissing(format: Format): readonly string[] {
  return format === 'csv' ? [''] : [];
}

/** The texts that represent a missing value if a schema has these `missingValues`, or none. */
export function missingOf(missingValues: MissingValues | undefined, format: Format): readonly string[] {
  return missingValues ? textsOf(missingValues) : defaultMissing(format);
}
