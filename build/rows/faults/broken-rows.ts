import {relative} from 'node:path';
import type {Fault} from '../../../shared/fault.ts';
import type {Database} from '../database.ts';
import {relation, type Reading} from '../relation.ts';
import type {Checks} from '../rules.ts';
import {identifier, literal} from '../sql.ts';
import type {Table} from '../table.ts';

/** No message shows more faults than this; the rest is counted. */
export const SHOWN = 20;

/** A row by its number in its file: 1-based, header and rejected records not counted. */
export interface RowPlace {
  readonly file: string;
  readonly row: number;
}

export interface RowFault extends RowPlace {
  readonly fault: Omit<Fault, 'file' | 'line'>;
  /** The row that has the same key already. */
  readonly first?: RowPlace | undefined;
}

export interface BrokenRows {
  readonly faults: readonly RowFault[];
  /** Of all faults: there may be more than those listed. */
  readonly total: number;
}

/** Rows that break a check or repeat a key: the first of each, and how many there are in all. */
export async function brokenRows(
  database: Database,
  root: string,
  table: Table,
  {checks, keys}: Checks,
  reading: Reading = {},
): Promise<BrokenRows> {
  const numbered = numberedRows(root, table, reading);
  const findings = [
    ...checks
      .filter(({broken}) => broken !== 'false')
      .map(({field, shown, broken, rule}) => ({field, rule, sql: rowsThatBreak(numbered, shown, broken)})),
    ...keys.map(({columns}) => ({
      field: columns.join(', '),
      rule: 'stands twice',
      sql: doubledKeys(table, columns, numbered),
    })),
  ];
  const placeOf = await places(database, root, numbered);
  const faults: RowFault[] = [];
  let total = 0;
  for (const {field, rule, sql} of findings) {
    const found = await database.query(
      `SELECT n, shown, first, count(*) OVER () FROM (${sql}) ORDER BY n LIMIT ${SHOWN}`,
    );
    for (const [n, value, first] of found) {
      const fault = {field, value: value ?? undefined, rule};
      faults.push({...placeOf(n), fault, first: first === null ? undefined : placeOf(first)});
    }
    total += Number(found[0]?.[3] ?? 0);
  }
  return {faults, total};
}

/**
 * SQL of the rows with `n`, their number in the whole list. Only a window without partitions numbers rows in the order in which
 * they stand, whatever the number of threads.
 */
function numberedRows(root: string, {freeze, fields}: Table, {options = '', ...reading}: Reading): string {
  const named = `${options}, filename = ${literal(FILE)}`;
  const rows = relation(root, freeze, fields, {...reading, columns: `, ${identifier(FILE)} AS file`, options: named});
  return `SELECT *, row_number() OVER () AS n FROM (${rows})`;
}

/** No column of a list can have this name: it has quotation marks. */
const FILE = '"file"';

/** Where the row of a number in the whole list stands. */
async function places(database: Database, root: string, numbered: string): Promise<(n: unknown) => RowPlace> {
  const starts = await database.query(`SELECT file, min(n) FROM (${numbered}) GROUP BY file ORDER BY ALL`);
  const files = starts.map(([path, n]) => ({file: relative(root, String(path)), start: Number(n)}));
  return n => {
    const {file, start} = files
      .filter(candidate => candidate.start <= Number(n))
      .reduce((latest, candidate) => (candidate.start > latest.start ? candidate : latest));
    return {file, row: Number(n) - start + 1};
  };
}

function rowsThatBreak(numbered: string, shown: string, broken: string): string {
  return `SELECT n, ${shown} AS shown, NULL AS first FROM (${numbered}) WHERE ${broken}`;
}

function doubledKeys(table: Table, columns: readonly string[], numbered: string): string {
  const values = columns.map(column => table.value(column)).join(', ');
  const known = columns.map(column => `${table.value(column)} IS NOT NULL`).join(' AND ');
  const shown = columns.map(column => `coalesce(${table.text(column)}, '')`).join(` || ${literal(', ')} || `);
  return `SELECT n, ${shown} AS shown, first FROM (${numbered}) JOIN (
    SELECT ${values}, min(n) AS first FROM (${numbered}) WHERE ${known} GROUP BY ALL HAVING count(*) > 1) USING (${values})
    WHERE n > first`;
}
