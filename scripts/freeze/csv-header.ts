import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import type {Database} from '../../build/rows/database.ts';
import {COLUMNS_RULE, MAX_COLUMNS} from '../../build/read/limits.ts';
import {recordStarts, valuesIn} from '../../build/rows/lines.ts';
import {literal} from '../../build/rows/sql.ts';
import {HEAD_BYTES} from './content-form.ts';
import {onDisk} from './disk.ts';
import type {Staging} from './staging.ts';

/** The first record of a CSV file: the names of its columns, and what stands between them. */
export interface CsvHeader {
  readonly delimiter: string;
  readonly names: readonly string[];
}

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads the header. Without a delimiter, the one that cuts it into most columns is taken. DuckDB reads the header from a file of its
 * own, so that what stands in the rows below, right or wrong, has no say.
 */
export async function csvHeader(
  database: Database,
  staging: Staging,
  head: Buffer,
  origin: string,
  delimiter: string | undefined,
): Promise<CsvHeader> {
  const file = `${staging.folder}/header.csv`;
  const path = join(staging.root, file);
  const write = (bytes: Buffer) => onDisk(origin, 'written', () => writeFile(path, bytes));
  const headers: CsvHeader[] = [];
  for (const candidate of delimiter === undefined ? DELIMITERS : [delimiter]) {
    await write(head);
    const record = await firstRecord(staging.root, file, head, candidate);
    if (record === undefined) continue;
    await write(record);
    const names = await cut(database, path, record, candidate);
    if (names) headers.push({delimiter: candidate, names});
  }
  const [best] = headers.sort((a, b) => b.names.length - a.names.length);
  if (best && best.names.length > MAX_COLUMNS)
    throw new InputError({file: origin, line: 1, field: String(best.names.length), rule: COLUMNS_RULE});
  if (best) return best;
  throw new InputError({file: origin, line: 1, rule: 'is not the header of a CSV file (RFC 4180)'});
}

/** The bytes of the first record; nothing where it does not end within the beginning of the file. */
async function firstRecord(root: string, file: string, head: Buffer, delimiter: string): Promise<Buffer | undefined> {
  const starts: number[] = [];
  for await (const {offset} of recordStarts(root, file, delimiter)) {
    starts.push(offset);
    if (starts.length === 2) break;
  }
  const [first, end = head.length] = starts;
  return first === undefined || (starts.length === 1 && head.length === HEAD_BYTES) ? undefined : head.subarray(0, end);
}

/** The names in a record; nothing where it is not CSV with this delimiter. More than a list may have are not looked at. */
async function cut(
  database: Database,
  path: string,
  record: Buffer,
  delimiter: string,
): Promise<readonly string[] | undefined> {
  const text = record.toString('latin1');
  const width = valuesIn(text.replace(/^\u00ef\u00bb\u00bf/, ''), delimiter);
  if (width > MAX_COLUMNS) return Array.from({length: width}, () => '');
  const columns = Array.from({length: width}, (_, index) => `c${index}: 'VARCHAR'`).join(', ');
  try {
    const [names, ...others] = await database.query(`
      SELECT * FROM read_csv(${literal(path)}, header = false, auto_detect = false,
        delim = ${literal(delimiter)}, quote = '"', escape = '"', columns = {${columns}})`);
    return names && others.length === 0 ? names.map(name => (name ?? '') as string) : undefined;
  } catch {
    return undefined;
  }
}
