import type {List} from '../relation.ts';
import {counted} from '../rules.ts';
import {literal} from '../sql.ts';
import {Table, type Read} from '../table.ts';
import {isAccounted, takeMeasures} from '../measures.ts';
import {findFaults} from './find-faults.ts';

/**
 * Refuses rows of CSV that go on after their last column with empty values: DuckDB drops those without a word. It reads the list
 * once more, one column wider, unless the values it has read account for every byte.
 *
 * @param bytes size of the files, unpacked, with all line ends
 */
export async function refuseSurplus(list: List, read: Read, bytes: number): Promise<void> {
  const {freeze, fields} = list.table;
  if (freeze.format !== 'csv' || isAccounted(list.table, read, bytes)) return;
  const names = [...fields.map(({name}) => name), ''];
  const texts = names.map(name => ({name, type: 'string' as const}));
  const table = new Table({...freeze, missing: [''], schema: {fields: texts}});
  const wide = {...list, table};
  // No value is this one: where every value is a text, what is missing can be told from what is empty.
  const reading = {options: `, null_padding = true, nullstr = ${literal('\u0001')}`};
  const shown = `concat_ws(${literal(freeze.delimiter)}, ${table.fields.map((_, index) => `t${index}`).join(', ')})`;
  const broken = `t${fields.length} IS NOT NULL`;
  const check = counted(table, {field: 'row', shown, broken, rule: 'has too many values'});
  if (check.holds(await takeMeasures(wide, check.measures, reading))) return;
  throw await findFaults(wide, [check], {reading});
}
