import type {Format, MissingValues} from './data-package.ts';

/** The texts of `missingValues` of Table Schema, with or without labels. */
export function textsOf(missing: MissingValues): readonly string[] {
  return missing.map(one => (typeof one === 'string' ? one : one.value));
}

/** What is missing if a schema does not say so: the empty text in CSV, which has no null of its own; in other formats null only. */
export function defaultMissing(format: Format): readonly string[] {
  return format === 'csv' ? [''] : [];
}
