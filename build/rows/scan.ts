import {InputError} from '../../shared/fault.ts';
import type {Database} from './database.ts';
import {findFaults} from './faults/find-faults.ts';
import {refuseSurplus} from './faults/surplus.ts';
import {checkForm} from './form.ts';
import {measure, valueBytes} from './measures.ts';
import {checksOf} from './rules.ts';
import type {Measure, Read, RowRule, Table} from './table.ts';

/** What is asked of a scan. */
export interface Questions {
  readonly measures: readonly Measure<unknown>[];
  /** Rules beyond the Table Schema that every row must keep. */
  readonly rules: readonly RowRule[];
}

/**
 * Reads the rows of a freeze once: checks every row and takes all measures in the same pass.
 * Throws `InputError` with the place of every row that breaks a rule (found in further passes, which good lists never need).
 *
 * @param quoted whether there is a quotation mark in the files; without it they are read as if there were some
 */
export async function scan(
  database: Database,
  root: string,
  table: Table,
  questions: readonly Questions[],
  quoted: Promise<boolean> = Promise.resolve(true),
): Promise<Read> {
  const list = {database, root, table};
  const bytes = await checkForm(list);
  const further = questions.flatMap(({rules}) => rules);
  const checks = checksOf(table, further);
  const measures = [
    table.count(),
    ...(table.freeze.format === 'csv' ? [valueBytes(table)] : []),
    ...checks.flatMap(({measures}) => measures),
    ...questions.flatMap(({measures}) => measures),
  ];
  let read: Read;
  try {
    read = await measure(list, measures, quoted);
  } catch (cause) {
    throw await findFaults(list, checks, {cause: cause as Error});
  }
  const broken = checks.filter(check => !check.holds(read));
  if (broken.length > 0) {
    const error = await findFaults(list, broken);
    if (error.faults.length > 0) throw error;
    // Two keys can share a hash; a check that counts breaches cannot err.
    const certain = broken.filter(({isHashed}) => !isHashed).map(({rule}) => rule);
    if (certain.length > 0) throw new Error(`no row breaks "${certain.join('", "')}"`);
  }
  await refuseSurplus(list, read, bytes);
  const {descriptor: file, rows: value} = table.freeze;
  const rows = read(table.count());
  if (value === undefined || value === rows) return read;
  throw new InputError({file, field: 'resources[0].rows', value, rule: `is not the number of rows read, ${rows}`});
}
