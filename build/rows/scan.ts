import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import type {Database} from './database.ts';
import {findFaults, refuseSurplus} from './faults/find-faults.ts';
import {checkForm} from './form.ts';
import {isPacked} from './formats.ts';
import {readableFreeze} from './gzip.ts';
import {measure, valueBytes} from './measures.ts';
import type {List} from './relation.ts';
import {checksOf} from './rules.ts';
import {survey, type Survey} from './survey.ts';
import {Table, type Measure, type Read, type RowRule} from './table.ts';

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
 * @param known what the bytes of the files hold, where that was looked at
 */
export async function scan(
  database: Database,
  root: string,
  asked: Table,
  questions: readonly Questions[],
  known?: Survey,
): Promise<Read> {
  // The survey refuses endless records before anything is unpacked.
  const surveyed =
    known ?? (isPacked(asked.freeze) ? await survey(root, asked.freeze, asked.fields.length) : undefined);
  const freeze = await readableFreeze(root, asked.freeze, database.scratch);
  if (freeze === asked.freeze) return await scanReadable({database, root, table: asked}, questions, surveyed);
  try {
    return await scanReadable({database, root, table: new Table(freeze)}, questions, surveyed);
  } finally {
    await rm(join(database.scratch, freeze.folder), {recursive: true, force: true});
  }
}

async function scanReadable(list: List, questions: readonly Questions[], known: Survey | undefined): Promise<Read> {
  const {table} = list;
  const surveyed = await checkForm(list, known);
  const further = questions.flatMap(({rules}) => rules);
  const checks = checksOf(table, further);
  const measures = [
    table.count(),
    ...(table.freeze.format === 'csv' ? [valueBytes(table)] : []),
    ...checks.flatMap(({measures}) => measures),
    ...questions.flatMap(({measures}) => measures),
  ];
  const {read, isWhole} = await measure(list, measures, surveyed).catch(async (cause: unknown) => {
    throw await findFaults(list, checks, {cause: cause as Error});
  });
  const broken = checks.filter(check => !check.holds(read));
  if (broken.length > 0) {
    const error = await findFaults(list, broken);
    if (error.faults.length > 0) throw error;
    // Two keys can share a hash; a check that counts breaches cannot err.
    const certain = broken.filter(({isUncertain}) => !isUncertain).map(({rule}) => rule);
    if (certain.length > 0) throw new Error(`no row breaks "${certain.join('", "')}"`);
  }
  await refuseSurplus(list, read, surveyed.bytes);
  const rows = read(table.count());
  if (!isWhole) refuseLoss(list, rows, await surveyed.rows());
  const {descriptor: file, rows: value} = table.freeze;
  if (value === undefined || value === rows) return read;
  throw new InputError({file, field: 'resources[0].rows', value, rule: `is not the number of rows read, ${rows}`});
}

/** Refuses a list whose files hold other records than DuckDB reads: it leaves out some that it cannot make a row of, without a word. */
function refuseLoss({table: {freeze}}: List, read: number, rows: number | undefined): void {
  if (rows === undefined || rows === read) return;
  const [file = freeze.folder, ...others] = freeze.files;
  const rule = `${others.length > 0 ? 'and the files after it hold' : 'holds'} ${rows} rows, of which ${read} can be read: look for line ends and quotation marks that are not CSV (RFC 4180)`;
  throw new InputError({file, rule});
}
