import {InputError} from '../../../shared/fault.ts';
import {findFaults} from '../../../build/rows/faults/find-faults.ts';
import {recordStarts} from '../../../build/rows/lines.ts';
import {takeMeasures} from '../../../build/rows/measures.ts';
import {counted} from '../../../build/rows/rules.ts';
import type {Questions} from '../../../build/rows/scan.ts';
import {Table, type RowRule} from '../../../build/rows/table.ts';
import type {RawList} from '../profile.ts';
import {COLUMNS, literal} from '../../../build/rows/sql.ts';

/**
 * Returns the row checks for CSV that report rows without any value, and rows that repeat the header.
 * @param isNamed true if the publisher chose the header, so that such a row is not a header
 */
export function oddRows(table: Table, isNamed: boolean): Questions {
  return {measures: [], rules: table.freeze.format === 'csv' ? rulesFor(table, isNamed) : []};
}

/** Throws `InputError` with the rows of a CSV list that `oddRows` reports. An inferred schema would accept them. */
export async function refuseOddRows(
  {database, freeze}: RawList,
  names: readonly string[],
  isNamed: boolean,
): Promise<void> {
  const table = new Table({...freeze, schema: {fields: names.map(name => ({name, type: 'string'}))}});
  const list = {database, table};
  const checks = rulesFor(table, isNamed).map(rule => counted(table, rule));
  const read = await takeMeasures(
    list,
    checks.flatMap(({measures}) => measures),
  );
  const broken = checks.filter(check => !check.holds(read));
  if (broken.length > 0) throw await findFaults(list, broken);
}

function rulesFor({fields}: Table, isNamed: boolean): RowRule[] {
  const row = {code: 'FZ105', field: 'row', shown: 'NULL'} as const;
  const isEmpty = fields.map((_, index) => `${COLUMNS.text(index)} IS NULL`).join(' AND ');
  const [first, ...others] = fields.map(
    ({name}, index) => `${COLUMNS.text(index)} IS NOT DISTINCT FROM ${literal(name)}`,
  );
  const empty = {
    ...{...row, broken: isEmpty},
    rule: 'is empty in every column, as spreadsheets write empty rows',
    fix: 'Remove the line, or delete the empty rows in the spreadsheet.',
  };
  // In a list with one column, a value can be the name of the column by chance.
  if (first === undefined || others.length === 0 || isNamed) return [empty];
  const repeated = {
    ...{...row, broken: `CASE WHEN ${first} THEN ${others.join(' AND ')} ELSE false END`},
    rule: 'repeats the header, as if several files were joined',
    fix: 'Remove the line. If it is a row, add `--header-row 1`, or `--columns` with names if the first line is a row too.',
  };
  return [empty, repeated];
}

/** Returns the error for a CSV file that ends within a quoted value. It names the line on which the last record starts. */
export async function unclosedFault(root: string, file: string, delimiter: string): Promise<InputError> {
  let line: number | undefined;
  for await (const start of recordStarts(root, file, delimiter, 0)) line = start.line;
  const rule = 'has a quotation mark that is not closed, so that it runs to the end of the file';
  const fix = 'Close it, or write a quotation mark within a value twice.';
  return new InputError({code: 'FZ105', file, line, field: 'row', rule, fix});
}
