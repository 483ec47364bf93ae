import {fileAt, paths, type FormatRules} from '../formats.ts';
import {rowsOf, type List} from '../relation.ts';
import {NOT_UTF8} from './broken-text.ts';
import type {Found} from './places.ts';

/** Beyond this many the rows between them are not looked at: DuckDB is slow at noting them, and then loses some. */
export const MANY = 1000;

const RULES: Readonly<Record<string, string>> = {
  'MISSING COLUMNS': 'has too few values',
  'TOO MANY COLUMNS': 'has too many values',
  'UNQUOTED VALUE': 'has a quotation mark that is not closed, or text after one that is',
  'INVALID ENCODING': NOT_UTF8,
};

/** The CSV records that DuckDB cannot read as rows, of very many only the first. Other formats: none. Throws DuckDB's error where it stops at one all the same. */
export async function rejectedRecords(list: List, format: FormatRules): Promise<Found> {
  const {database, root, table} = list;
  if (table.freeze.format !== 'csv') return {faults: [], total: 0};
  // Every column is read, so that DuckDB checks every byte.
  const anyText = table.fields.map((_, index) => `t${index} IS NOT NULL`).join(' OR ');
  const rows = rowsOf(list, {format, options: ', store_rejects = true'});
  await database.query(`SELECT count(*) FROM (${rows}) WHERE ${anyText}`);
  // A scan that rejects nothing leaves no trace: the last one may have been of another list.
  const records = await database.query(`
    SELECT s.file_path, e.line_byte_position - 1, any_value(e.error_type ORDER BY e.error_type), any_value(e.csv_line),
      count(*) OVER ()
    FROM reject_errors AS e JOIN reject_scans AS s USING (scan_id, file_id)
    WHERE scan_id = (SELECT max(scan_id) FROM reject_scans WHERE file_path IN ${paths(root, table.freeze)})
    GROUP BY s.file_path, e.line_byte_position ORDER BY ALL LIMIT ${MANY}`);
  const faults = records.map(([path, offset, type, text]) => {
    // The line end before the record belongs to it, to DuckDB.
    const value = String(text).replaceAll(/^[\r\n]+|[\r\n]+$/g, '');
    const fault = {field: 'row', value, rule: RULES[String(type)] ?? String(type)};
    return {at: {file: fileAt(root, table.freeze, String(path)), offset: Number(offset)}, fault};
  });
  return {faults, total: Number(records[0]?.[4] ?? 0)};
}
