import {InputError, type Fault} from '../../../shared/fault.ts';
import {CSV_BY_THREADS, FORMATS, isLong} from '../formats.ts';
import type {List, Reading} from '../relation.ts';
import type {Check} from '../rules.ts';
import {messageOf} from '../sql.ts';
import type {Table} from '../table.ts';
import {brokenRows, SHOWN, type Found} from './broken-rows.ts';
import {brokenText} from './broken-text.ts';
import {place} from './places.ts';
import {MANY, rejectedRecords} from './rejected-records.ts';

/**
 * Looks for the places of faults that a scan has told of: checks that rows break, or, with a `cause`, rows that cannot be read.
 * Slow, thorough, and run for bad lists only. They stand in the order in which the freeze names its files, by line.
 */
export async function findFaults(
  list: List,
  checks: readonly Check[],
  {cause, reading}: {readonly cause?: Error; readonly reading?: Reading} = {},
): Promise<InputError> {
  const {faults, total} = cause ? await unreadableRows(list, checks, cause) : await readableRows(list, checks, reading);
  const {files} = list.table.freeze;
  const inOrder = (a: Fault, b: Fault) =>
    a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : files.indexOf(a.file) - files.indexOf(b.file);
  const shown = [...faults].sort(inOrder).slice(0, SHOWN);
  return new InputError(shown, {more: total - shown.length, ...(cause ? {cause} : {})});
}

async function readableRows(list: List, checks: readonly Check[], reading?: Reading): Promise<Found<Fault>> {
  const {faults, total} = await brokenRows(list, checks, reading);
  return {faults: await place(list, [], faults), total};
}

/** What is wrong with lists that DuckDB stops at: what it rejects, else what our own look at the text finds, else what it says. */
async function unreadableRows(list: List, checks: readonly Check[], cause: Error): Promise<Found<Fault>> {
  const found = await rejectedRows(list, checks);
  if (found) return found;
  const faults = await brokenText(list);
  return faults.length > 0 ? {faults, total: faults.length} : {faults: [unreadable(list.table, cause)], total: 1};
}

/**
 * What DuckDB finds when it leaves out what it cannot read; nothing where it stops at that as well. Where it reads with one thread it does
 * not see a quotation mark that is not closed, with several not all of a long list.
 */
async function rejectedRows(list: List, checks: readonly Check[]): Promise<Found<Fault> | undefined> {
  const formats = [FORMATS.csv, CSV_BY_THREADS];
  for (const format of isLong(list.table.freeze) ? formats : formats.toReversed()) {
    try {
      const {faults: records, total} = await rejectedRecords(list, format);
      if (total > MANY) return {faults: await place(list, records.slice(0, SHOWN), []), total};
      if (total === 0) continue;
      const rows = await brokenRows(list, checks, {options: ', ignore_errors = true'});
      return {faults: await place(list, records, rows.faults), total: total + rows.total};
    } catch (error) {
      if (error instanceof InputError) throw error;
    }
  }
  return undefined;
}

/** What DuckDB says of a file that nothing makes readable. */
function unreadable({freeze}: Table, cause: Error): Fault {
  const file = freeze.files.find(name => cause.message.includes(name)) ?? freeze.files[0] ?? freeze.folder;
  const rule = cause.message.includes('state machine')
    ? 'is not CSV (RFC 4180): look for mixed line ends, or a quotation mark in the middle of a field'
    : `cannot be read: ${messageOf(cause)}`;
  return {file, rule};
}
