import type {Fault} from '../../../shared/fault.ts';
import {recordStarts, textLines} from '../lines.ts';
import type {List} from '../relation.ts';
import {parseRows} from './broken-text.ts';

/** A row by its number in its file: 1-based, without header and rejected records. */
export interface RowPlace {
  readonly file: string;
  readonly row: number;
}

/** A rejected record by its offset in its file, 0-based. DuckDB's offset may include the line end before the record. */
interface RecordPlace {
  readonly file: string;
  readonly offset: number;
}

/** An error in a row. */
export interface RowFault {
  readonly at: RowPlace | RecordPlace;
  readonly fault: Omit<Fault, 'file' | 'line'>;
  /** The earlier row with the same key. */
  readonly first?: RowPlace | undefined;
}

/** Errors, and the number of all, which may be more than those listed. */
export interface Found {
  readonly faults: readonly RowFault[];
  readonly total: number;
}

/** Converts row numbers and byte offsets to physical lines, if the format has lines. */
export async function place(list: List, faults: readonly RowFault[]): Promise<Fault[]> {
  const lines = new Map<string, FileLines>();
  for (const {file} of faults.flatMap(({at, first}) => (first ? [at, first] : at))) {
    const offsets = faults.flatMap(({at}) => (at.file === file && 'offset' in at ? at.offset : []));
    if (!lines.has(file)) lines.set(file, await fileLines(list, file, offsets));
  }
  const lineOf = (at: RowPlace | RecordPlace) => {
    const {rows = [], records} = lines.get(at.file) ?? {};
    return 'row' in at ? rows[at.row - 1] : records?.get(at.offset);
  };
  return faults.map(({at, fault, first}) => {
    const line = lineOf(at);
    const field = line === undefined && 'row' in at ? [`row ${at.row}`, fault.field].join(' ') : fault.field;
    const placed = {...fault, file: at.file, line, field};
    if (!first) return placed;
    const firstLine = lineOf(first);
    const where = firstLine === undefined ? `row ${first.row}` : `line ${firstLine}`;
    const whole = first.file === at.file ? where : `${where} of ${first.file}`;
    return {...placed, rule: `${fault.rule}: first in ${whole}`};
  });
}

/** The physical lines of a file's rows, in order, and of its rejected records, by offset. Empty for formats without lines. */
interface FileLines {
  readonly rows: readonly number[];
  readonly records?: ReadonlyMap<number, number>;
}

async function fileLines(
  {table: {freeze, fields}}: List,
  file: string,
  offsets: readonly number[],
): Promise<FileLines> {
  if (freeze.format === 'json') return {rows: (await parseRows(freeze.root, file, freeze.property)).lines};
  const rows: number[] = [];
  if (freeze.format === 'ndjson') for await (const {line} of textLines(freeze.root, file)) rows.push(line);
  if (freeze.format !== 'csv') return {rows};
  const records = new Map<number, number>();
  const waiting = offsets.toSorted((a, b) => b - a);
  for await (const {offset, line} of recordStarts(freeze.root, file, freeze.delimiter, fields.length)) {
    const rejected = waiting.at(-1);
    if (rejected === undefined || rejected > offset) rows.push(line);
    else {
      records.set(rejected, line);
      waiting.pop();
    }
  }
  return {rows: rows.slice(1), records}; // The first is the header.
}
