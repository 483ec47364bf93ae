import type {Field} from '../read/data-package.ts';
import type {Check} from './rules.ts';

/**
 * Returns the check that no two texts of a CSV column of numbers are the same number, such as the versions `1.10` and `1.1`: documents
 * would have one value for both.
 */
export function equalNumbersCheck({name}: Field, index: number): Check {
  const [text, value] = [`t${index}`, `v${index}`];
  const decimals = `length(split_part(${text}, '.', 2))`;
  const mayBeEqual = `coalesce(bool_or(contains(lower(${text}), 'e')) OR (min(${decimals}) <> max(${decimals}) AND (
    bool_or(${decimals} > 1 AND ends_with(${text}, '0')) OR (min(${decimals}) = 0 AND bool_or(ends_with(${text}, '.0'))))), false)`;
  const measure = {sql: mayBeEqual, decode: (json: unknown) => json === true};
  return {
    field: name,
    rule: 'is written unlike the same number above, and both would be one value; write them alike, or make the column text with frozen freeze … --new-schema',
    measures: [measure],
    holds: read => !read(measure),
    isUncertain: true,
    breaches: numbered => `SELECT n, ${text} AS shown, first FROM (${numbered}) JOIN (
      SELECT ${value}, min(n) AS first, arg_min(${text}, n) AS text FROM (${numbered})
      GROUP BY ALL HAVING min(${text}) <> max(${text})) USING (${value}) WHERE ${text} <> text`,
  };
}
