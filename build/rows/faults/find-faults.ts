import {InputError, type Fault} from '../../../shared/fault.ts';
import type {Database} from '../database.ts';
import {CSV_BY_THREADS, FORMATS, isLong} from '../formats.ts';
import type {Checks} from '../rules.ts';
import {messageOf} from '../sql.ts';
import type {Table} from '../table.ts';
import {brokenRows, SHOWN} from './broken-rows.ts';
import {brokenText} from './broken-text.ts';
import {place} from './places.ts';
import {MANY, rejectedRecords, type Rejected} from './rejected-records.ts';

/**
 * Looks for the places of faults that a scan has told of: checks that rows break, or, with a `cause`, rows that cannot be read.
 * Slow, thorough, and run for bad lists only.
 */
export async function findFaults(
  database: Database,
  root: string,
  table: Table,
  broken: Checks,
  cause?: Error,
): Promise<InputError> {
  const {faults, total} = cause
    ? await unreadableRows(database, root, table, broken, cause)
    : await readableRows(database, root, table, broken, []);
  const shown = [...faults].sort(byPlace(table)).slice(0, SHOWN);
  return new InputError(shown, {more: total - shown.length, ...(cause ? {cause} : {})});
}

interface Found {
  readonly faults: readonly Fault[];
  /** Of all faults: there may be more than those listed. */
  readonly total: number;
}

async function readableRows(
  database: Database,
  root: string,
  table: Table,
  broken: Checks,
  rejects: readonly Rejected[],
): Promise<Found> {
  const reading = rejects.length > 0 ? {options: ', ignore_errors = true'} : {};
  const rows = await brokenRows(database, root, table, broken, reading);
  return {faults: await place(root, table, rejects, rows.faults), total: rejects.length + rows.total};
}

/** What is wrong with lists that DuckDB stops at: what it rejects, else what our own look at the text finds, else what it says. */
async function unreadableRows(
  database: Database,
  root: string,
  table: Table,
  broken: Checks,
  cause: Error,
): Promise<Found> {
  const found = await rejectedRows(database, root, table, broken);
  if (found.total > 0) return found;
  const faults = await brokenText(root, table);
  return faults.length > 0 ? {faults, total: faults.length} : {faults: [unreadable(table, cause)], total: 1};
}

/**
 * What DuckDB finds when it leaves out what it cannot read; nothing where it stops at that as well. Where it reads with one thread it does
 * not see a quotation mark that is not closed, with several not all of a long list.
 */
async function rejectedRows(database: Database, root: string, table: Table, broken: Checks): Promise<Found> {
  const formats = [FORMATS.csv, CSV_BY_THREADS];
  for (const format of isLong(table.freeze) ? formats : formats.toReversed()) {
    try {
      const {records, total} = await rejectedRecords(database, root, table, format);
      if (total > MANY) return {faults: await place(root, table, records.slice(0, SHOWN), []), total};
      if (total > 0) return await readableRows(database, root, table, broken, records);
    } catch (error) {
      if (error instanceof InputError) throw error;
    }
  }
  return {faults: [], total: 0};
}

/** In the order in which the freeze names its files, by line. */
function byPlace({freeze}: Table): (a: Fault, b: Fault) => number {
  return (a, b) =>
    a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : freeze.files.indexOf(a.file) - freeze.files.indexOf(b.file);
}

/** What DuckDB says of a file that nothing makes readable. */
function unreadable({freeze}: Table, cause: Error): Fault {
  const file = freeze.files.find(name => cause.message.includes(name)) ?? freeze.files[0] ?? freeze.folder;
  if (cause.message.includes('state machine'))
    return {
      file,
      rule: 'is not CSV (RFC 4180): look for mixed line ends, or a quotation mark in the middle of a field',
    };
  return {file, rule: `cannot be read: ${messageOf(cause)}`};
}
