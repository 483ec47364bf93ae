import {InputError} from '../../../shared/fault.ts';
import {findFaults} from '../../../build/rows/faults/find-faults.ts';
import {recordStarts} from '../../../build/rows/lines.ts';
import {takeMeasures} from '../../../build/rows/measures.ts';
import {counted} from '../../../build/rows/rules.ts';
import type {Questions} from '../../../build/rows/scan.ts';
import {Table, type RowRule} from '../../../build/rows/table.ts';
import type {RawList} from '../profile.ts';
import {COLUMNS} from '../../../build/rows/sql.ts';

const RULE = 'is empty in every column, as spreadsheets write empty rows';
const FIX = 'Remove the line, or delete the empty rows in the spreadsheet.';

/** Returns the row check for CSV that reports rows without any value. */
export function emptyRows(table: Table): Questions {
  return {measures: [], rules: table.freeze.format === 'csv' ? [ruleFor(table)] : []};
}

/** Throws `InputError` with the rows of a CSV list that are empty in every column. An inferred schema would accept them. */
export async function refuseEmptyRows({database, freeze}: RawList, names: readonly string[]): Promise<void> {
  const table = new Table({...freeze, schema: {fields: names.map(name => ({name, type: 'string'}))}});
  const list = {database, table};
  const check = counted(table, ruleFor(table));
  if (check.holds(await takeMeasures(list, check.measures))) return;
  throw await findFaults(list, [check]);
}

function ruleFor(table: Table): RowRule {
  const broken = table.fields.map((_, index) => `${COLUMNS.text(index)} IS NULL`).join(' AND ');
  return {code: 'FZ105', field: 'row', shown: 'NULL', broken, rule: RULE, fix: FIX};
}

/** Returns the error for a CSV file that ends within a quoted value. It names the line on which the last record starts. */
export async function unclosedFault(root: string, file: string, delimiter: string): Promise<InputError> {
  let line: number | undefined;
  for await (const start of recordStarts(root, file, delimiter, 0)) line = start.line;
  const rule = 'has a quotation mark that is not closed, so that it runs to the end of the file';
  const fix = 'Close it, or write a quotation mark within a value twice.';
  return new InputError({code: 'FZ105', file, line, field: 'row', rule, fix});
}
