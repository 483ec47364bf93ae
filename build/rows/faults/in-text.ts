import {isUtf8} from 'node:buffer';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {jsonTree, linesAt, parse} from '../../../shared/json-text.ts';
import type {Format} from '../../read/data-package.ts';
import {recordStarts, textLines, wholeLines} from '../lines.ts';
import type {List} from '../relation.ts';
import {bytesIfSmall, rowsIn} from '../survey.ts';

/** The error for text in another encoding. */
export const NOT_UTF8 = 'has bytes that are not UTF-8';
const NO_OBJECT = 'is not a JSON object';

/** Returns errors that prevent files from being read as text: bytes that are not UTF-8, lines that are not JSON. */
export async function brokenText({table: {freeze}}: List): Promise<Fault[]> {
  const {root, format, property} = freeze;
  if (format === 'parquet') return [];
  const faults: Fault[] = [];
  for (const file of freeze.files) {
    for await (const {line, text} of textLines(root, file))
      for (const fault of lineFaults(file, Buffer.from(text, 'latin1'), format)) faults.push({...fault, line});
    if (format !== 'json' || faults.length > 0) continue;
    for (const fault of (await parseRows(root, file, property)).faults) faults.push(fault);
  }
  return faults;
}

/** The errors of a line: bytes that are not UTF-8 and, in NDJSON, text that is not a JSON object. */
function lineFaults(file: string, line: Buffer, format: Format): readonly Fault[] {
  if (!isUtf8(line)) return [{code: 'FZ104', file, rule: NOT_UTF8}];
  if (format !== 'ndjson') return [];
  const {result: tree, faults} = attempt(() => parse({file}, line.toString('utf8')).tree);
  return tree && tree.type !== 'object' ? [{code: 'FZ107', file, rule: NO_OBJECT}] : faults;
}

const LINE_ENDS: Readonly<Record<string, string>> = {'\n': 'LF', '\r': 'CR', '\r\n': 'CR LF'};

/** Returns the error of the first row of a CSV file that does not end as the header does. DuckDB reads files with one kind of line end. */
export async function mixedLineEnd(root: string, file: string): Promise<Fault | undefined> {
  let [line, isQuoted, header] = [0, false, ''];
  for await (const lines of wholeLines(root, file))
    for (const [text, end = ''] of lines.matchAll(/[^\r\n]*(\r\n|[\r\n])/g)) {
      line += 1;
      if (text.split('"').length % 2 === 0) isQuoted = !isQuoted;
      if (isQuoted) continue;
      header ||= end;
      if (end !== header) {
        const rule = `ends with ${LINE_ENDS[end]}, and the header with ${LINE_ENDS[header]}`;
        return {code: 'FZ105', file, line, rule, fix: 'Save the list with one kind of line end.'};
      }
    }
  return undefined;
}

/** Returns the line of each row of a JSON list, and the errors of the file. Both are empty for files that are too large to parse. */
async function parseRows(
  root: string,
  file: string,
  property?: string,
): Promise<{readonly lines: readonly number[]; readonly faults: readonly Fault[]}> {
  const bytes = await bytesIfSmall(root, file);
  const text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  if (text === undefined) return {lines: [], faults: []};
  const {faults} = attempt(() => parse({file}, text));
  // A text with a duplicate member has an error, but its rows still have lines.
  const {result: tree} = attempt(() => jsonTree({file}, text));
  if (!tree) return {lines: [], faults};
  const list = rowsIn(tree, property);
  const rows = list?.children ?? [];
  const starts = rows.map(({offset}) => offset);
  const lines = linesAt(text, starts);
  if (!list) return {lines, faults: [{code: 'FZ107' as const, file, line: 1, rule: 'is not a JSON array'}, ...faults]};
  const odd = rows.flatMap(({type}, index) => (type === 'object' ? [] : [lines[index]]));
  return {
    lines,
    faults: [...odd.map(line => ({code: 'FZ107' as const, file, line, rule: NO_OBJECT})), ...faults],
  };
}

function attempt<T>(read: () => T): {readonly result?: T; readonly faults: readonly Fault[]} {
  try {
    return {result: read(), faults: []};
  } catch (error) {
    if (error instanceof InputError) return {faults: error.faults};
    // The parser is recursive. `parse` reports a text that is nested too deeply.
    if (error instanceof RangeError) return {faults: []};
    throw error;
  }
}

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
  readonly first?: RowPlace | undefined;
}

/** Errors, and the number of all, which may be more than those listed. */
export interface Found {
  readonly faults: readonly RowFault[];
  readonly total: number;
}

/** Converts row numbers and byte offsets to physical lines, if the format has lines. */
export async function place(list: List, faults: readonly RowFault[]): Promise<Fault[]> {
  const lines = new Map<string, Awaited<ReturnType<typeof fileLines>>>();
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
async function fileLines({table: {freeze, fields}}: List, file: string, offsets: readonly number[]) {
  const rows: number[] = [];
  const records = new Map<number, number>();
  if (freeze.format === 'json') return {rows: (await parseRows(freeze.root, file, freeze.property)).lines, records};
  if (freeze.format === 'ndjson') for await (const {line} of textLines(freeze.root, file)) rows.push(line);
  if (freeze.format !== 'csv') return {rows, records};
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
