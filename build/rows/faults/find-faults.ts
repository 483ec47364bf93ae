import {InputError, type Fault} from '../../../shared/fault.ts';
import {CSV_BY_THREADS, FORMATS, isLong} from '../formats.ts';
import type {List, Reading} from '../relation.ts';
import type {Check} from '../rules.ts';
import {messageOf} from '../sql.ts';
import type {Table} from '../table.ts';
import {brokenRows, SHOWN} from './broken-rows.ts';
import {brokenText} from './broken-text.ts';
import {place, type Found} from './places.ts';
import {MANY, rejectedRecords} from './rejected-records.ts';

/**
 * Looks for the places of faults that a scan has told of: checks that rows break, or, with a `cause`, rows that cannot be read.
 * Of a list that DuckDB stops at: what it rejects, else what our own look at the text finds, else what it says. Slow, thorough, and run
 * for bad lists only. They stand in the order in which the freeze names its files, by line.
 */
export async function findFaults(
  list: List,
  checks: readonly Check[],
  {cause, reading}: {readonly cause?: Error; readonly reading?: Reading} = {},
): Promise<InputError> {
  const found = cause ? await rejectedRows(list, checks) : await brokenRows(list, checks, reading);
  const faults = found ? await place(list, found.faults) : await brokenText(list);
  if (cause && faults.length === 0) faults.push(unreadable(list.table, cause));
  const total = found?.total ?? faults.length;
  const {files} = list.table.freeze;
  const inOrder = (a: Fault, b: Fault) =>
    a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : files.indexOf(a.file) - files.indexOf(b.file);
  const shown = faults.sort(inOrder).slice(0, SHOWN);
  return new InputError(shown, {more: total - shown.length, ...(cause ? {cause} : {})});
}

/**
 * What DuckDB finds when it leaves out what it cannot read; nothing where it stops at that as well. Where it reads with one thread it does
 * not see a quotation mark that is not closed, with several not all of a long list.
 */
async function rejectedRows(list: List, checks: readonly Check[]): Promise<Found | undefined> {
  const formats = [FORMATS.csv, CSV_BY_THREADS];
  for (const format of isLong(list.table.freeze) ? formats : formats.toReversed()) {
    try {
      const {faults: records, total} = await rejectedRecords(list, format);
      if (total === 0) continue;
      if (total > MANY) return {faults: records, total};
      const rows = await brokenRows(list, checks, {options: ', ignore_errors = true'});
      return {faults: [...records, ...rows.faults], total: total + rows.total};
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
