import {InputError} from '../../../shared/fault.ts';
import type {Database} from '../database.ts';
import {relation} from '../relation.ts';
import {literal} from '../sql.ts';
import {Table, type Read} from '../table.ts';
import {bytesLeft} from '../value-bytes.ts';
import {brokenRows} from './broken-rows.ts';
import {place} from './places.ts';

/** No value is this one: where every value is a text, what is missing can be told from what is empty. */
const NOTHING = literal('\u0001');

/**
 * Refuses rows of CSV that go on after their last column with empty values: DuckDB drops those without a word. It reads the list
 * once more, one column wider, unless the values it has read account for every byte.
 *
 * @param bytes size of the files, unpacked
 */
export async function refuseSurplus(
  database: Database,
  root: string,
  table: Table,
  read: Read,
  bytes: number,
): Promise<void> {
  const {freeze, fields} = table;
  if (freeze.format !== 'csv' || !freeze.schema || isAccounted(table, read, bytes)) return;
  const wider = [...fields, {name: '', type: 'string'} as const];
  const reading = {options: `, null_padding = true, nullstr = ${NOTHING}`};
  const broken = `t${fields.length} IS NOT NULL`;
  const [[rows] = []] = await database.query(
    `SELECT count(*) FROM (${relation(root, freeze, wider, reading)}) WHERE ${broken}`,
  );
  if (Number(rows) === 0) return;
  const shown = `concat_ws(${literal(freeze.delimiter)}, ${wider.map((_, index) => `t${index}`).join(', ')})`;
  const check = {field: 'row', shown, broken, rule: 'has too many values'};
  const asked = {checks: [{...check, measures: [], holds: () => false}], keys: []};
  const wide = new Table({...freeze, schema: {...freeze.schema, fields: wider}});
  const found = await brokenRows(database, root, wide, asked, reading);
  const faults = await place(root, table, [], found.faults);
  throw new InputError(faults, {more: found.total - faults.length});
}

/** Whether values, delimiters, line ends and headers are all that there is; the last line end may be missing. */
function isAccounted(table: Table, read: Read, bytes: number): boolean {
  const {freeze, fields} = table;
  const header = Buffer.byteLength(`${fields.map(({name}) => name).join(freeze.delimiter)}\n`);
  const files = freeze.files.length;
  const left = bytesLeft(table, read, bytes) - files * header;
  return left <= 0 && left >= -files;
}
