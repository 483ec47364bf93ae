import type {Field} from '../../build/read/table-schema.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {NUMBER} from '../../build/rows/number-forms.ts';
import {literal} from '../../build/rows/sql.ts';
import type {RawList} from './profile.ts';

/**
 * Returns true if a column of CSV writes one number in two ways, such as the versions `1.10` and `1.1`: they would become the same value.
 *
 * @param text SQL of the column's text
 * @param hasExponent whether a number has an exponent; otherwise the digits are compared, which are exact for every length
 */
export async function hasDoubledNumber(
  {database, freeze}: RawList,
  text: string,
  fields: readonly Field[],
  hasExponent: boolean,
): Promise<boolean> {
  const digits = `CASE WHEN contains(t, '.') THEN rtrim(rtrim(t, '0'), '.') ELSE t END`;
  const number = hasExponent ? 'TRY_CAST(t AS DOUBLE)' : digits;
  const [cells] = await database.query(`
    SELECT count(*) > 0 FROM (
      SELECT 1 FROM (SELECT ${text} AS t FROM ${FORMATS[freeze.format].from(freeze, fields)})
      WHERE regexp_full_match(t, ${literal(NUMBER)})
      GROUP BY ${number} HAVING min(t) <> max(t) LIMIT 1)`);
  return cells?.[0] === true;
}
