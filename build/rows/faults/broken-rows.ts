import {quoted} from '../../../shared/command-line.ts';
import {fileAt} from '../formats.ts';
import {rowsOf, type List, type Reading} from '../relation.ts';
import type {Check} from '../rules.ts';
import {VALUE} from '../number-forms.ts';
import {identifier, literal} from '../sql.ts';
import type {Found, RowFault, RowPlace} from './places.ts';

/** No message shows more faults than this; the rest is counted. */
export const SHOWN = 20;

/** No column of a list can have this name: it has quotation marks. */
const FILE = '"file"';

/** Rows that break a check or repeat a key: the first of each, and how many there are in all. */
export async function brokenRows(list: List, checks: readonly Check[], reading: Reading = {}): Promise<Found> {
  const numbered = numberedRows(list, reading);
  const placeOf = await places(list, numbered);
  const faults: RowFault[] = [];
  let total = 0;
  for (const {field, rule, breaches} of checks) {
    const found = await list.database.query(
      `SELECT n, shown, first, count(*) OVER () FROM (${breaches(numbered)}) ORDER BY n LIMIT ${SHOWN}`,
    );
    for (const [n, value, first] of found) {
      const fault = {field, value: value ?? undefined, rule: rule.replace(VALUE, () => quoted(String(value)))};
      faults.push({at: placeOf(n), fault, first: first === null ? undefined : placeOf(first)});
    }
    total += Number(found[0]?.[3] ?? 0);
  }
  return {faults, total};
}

/**
 * SQL of the rows with `n`, their number in the whole list. Only a window without partitions numbers rows in the order in which
 * they stand, whatever the number of threads.
 */
function numberedRows(list: List, {options = '', ...reading}: Reading): string {
  const named = `${options}, filename = ${literal(FILE)}`;
  const rows = rowsOf(list, {...reading, columns: `, ${identifier(FILE)} AS file`, options: named});
  return `SELECT *, row_number() OVER () AS n FROM (${rows})`;
}

/** Where the row of a number in the whole list stands. */
async function places({database, root, table}: List, numbered: string): Promise<(n: unknown) => RowPlace> {
  const starts = await database.query(`SELECT file, min(n) FROM (${numbered}) GROUP BY file ORDER BY min(n) DESC`);
  const files = starts.map(([path, n]) => ({file: fileAt(root, table.freeze, String(path)), start: Number(n)}));
  return n => {
    const {file = '', start = 1} = files.find(candidate => candidate.start <= Number(n)) ?? {};
    return {file, row: Number(n) - start + 1};
  };
}
