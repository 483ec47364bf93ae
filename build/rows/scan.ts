import {InputError} from '../../shared/fault.ts';
import {areDistinct, FEW} from './distinct.ts';
import {checkForm} from './form.ts';
import {findFaults} from './find-faults.ts';
import {isLong, type Reading} from './formats.ts';
import {checksOf, keyChecks, type KeyCheck} from './rules.ts';
import {agreementOf, agrees, mayBeQuick, valueSizes} from './quick.ts';
import {relation} from './relation.ts';
import {refuseSurplus} from './surplus.ts';
import {checkClosed} from './unclosed.ts';
import type {Database} from './database.ts';
import type {Measure, Read, RowRule, Table} from './table.ts';

/** What is asked of a scan. */
export interface Questions {
  readonly measures: readonly Measure<unknown>[];
  /** Rules beyond the Table Schema that every row must keep. */
  readonly rules: readonly RowRule[];
}

/** What goes on beside a scan. */
export interface Beside {
  /** Whether there is a quotation mark in the files; without it one thread reads a long list. */
  readonly quoted?: Promise<boolean>;
  /** Told when the database has begun to read rows, which takes it a while. */
  readonly onScan?: () => void;
  /** Takes what is still being checked of a list of very many rows when they have been read: it throws `InputError`, too. */
  readonly later?: (check: Promise<void>) => void;
}

/**
 * Reads the rows of a freeze once: checks every row and takes all measures in the same pass.
 * Throws `InputError` with the place of every row that breaks a rule (found in further passes, which good lists never need).
 */
export async function scan(
  database: Database,
  root: string,
  table: Table,
  questions: readonly Questions[],
  {quoted, onScan, later}: Beside = {},
): Promise<Read> {
  const bytes = await checkForm(database, root, table);
  const checks = checksOf(
    table,
    questions.flatMap(({rules}) => rules),
  );
  const keys = keyChecks(table);
  const rows = table.count();
  const measures = [
    rows,
    ...(table.freeze.format === 'csv' ? valueSizes(table) : []),
    ...checks.flatMap(check => check.measures),
    ...keys.map(key => key.hashes),
    ...questions.flatMap(({measures}) => measures),
  ];
  let scanned: Scanned;
  try {
    const take = async (reading: Reading) => {
      const distinct = new Map<number, Promise<boolean>>();
      const all = reading.quick ? [...measures, ...agreementOf(table)] : measures;
      const taking = taken(database, root, table, all, reading, distinct);
      onScan?.();
      return {read: await taking, distinct};
    };
    scanned = isLong(table.freeze) ? await takenOfLong(root, table, take, quoted) : await take({});
  } catch (cause) {
    throw await findFaults(database, root, table, {checks, keys}, cause as Error);
  }
  const {read} = scanned;
  const broken = checks.filter(check => !check.holds(read));
  const checking = (async () => {
    const suspects = await suspectsAmong(keys, scanned);
    if (broken.length + suspects.length === 0) return;
    const error = await findFaults(database, root, table, {checks: broken, keys: suspects});
    if (error.faults.length > 0) throw error;
    // Suspects may be innocent: two keys can share a hash. A check that counts breaches cannot err.
    if (broken.length > 0) throw new Error(`no row breaks "${broken.map(({rule}) => rule).join('", "')}"`);
  })();
  if (later && broken.length === 0 && read(rows) > FEW) later(checking);
  else await checking;
  await refuseSurplus(database, root, table, read, bytes);
  checkRowCount(table, read(rows));
  return read;
}

/** What the quicker way of reading tells, where that can be relied on, as of packed files it never can; else what the careful one tells. */
async function takenOfLong(
  root: string,
  table: Table,
  take: (reading: Reading) => Promise<Scanned>,
  quoted: Promise<boolean> | undefined,
): Promise<Scanned> {
  try {
    const scanned = quoted && mayBeQuick(table) && (await take({quick: true}));
    if (scanned && (await agrees(table, scanned.read, quoted))) return scanned;
  } catch {
    // The careful way shows whether it is the list that is wrong.
  }
  const [scanned] = await Promise.all([take({quick: false}), checkClosed(root, table)]);
  return scanned;
}

/** What one pass over the rows has told. */
interface Scanned {
  readonly read: Read;
  /** Whether no two hashes of a key are the same, by the number of the key. */
  readonly distinct: ReadonlyMap<number, Promise<boolean>>;
}

/** The keys that may stand twice. */
async function suspectsAmong(keys: readonly KeyCheck[], {read, distinct}: Scanned): Promise<KeyCheck[]> {
  const suspects: KeyCheck[] = [];
  for (const [index, key] of keys.entries()) {
    if (read(key.hashes) !== distinct.has(index)) throw new Error(`the hashes of ${key.columns.join(', ')} were lost`);
    if ((await distinct.get(index)) === false) suspects.push(key);
  }
  return suspects;
}

/** One SELECT for all measures; equal ones are taken once. */
async function taken(
  database: Database,
  root: string,
  table: Table,
  measures: readonly Measure<unknown>[],
  reading: Reading,
  distinct: Map<number, Promise<boolean>>,
): Promise<Read> {
  const aggregates = [...new Set(measures.map(measure => measure.sql))];
  const [cells = []] = await database.query(
    `SELECT ${aggregates.map(sql => `to_json(${sql})`).join(', ')}
     FROM (${relation(root, table.freeze, table.fields, reading)})`,
    (key, hashes) => distinct.set(key, areDistinct(hashes)),
  );
  const results = new Map(aggregates.map((sql, index) => [sql, parseCell(cells[index])]));
  return measure => measure.decode(results.get(measure.sql));
}

function checkRowCount({freeze}: Table, rows: number): void {
  if (freeze.rows === undefined || freeze.rows === rows) return;
  throw new InputError({
    file: freeze.descriptor,
    field: 'resources[0].rows',
    value: freeze.rows,
    rule: `is not the number of rows read, ${rows}`,
  });
}

/** The JSON text of an aggregate, null where it has none. */
function parseCell(cell: unknown): unknown {
  return typeof cell === 'string' ? JSON.parse(cell) : null;
}
