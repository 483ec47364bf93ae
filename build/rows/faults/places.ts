import type {Fault} from '../../../shared/fault.ts';
import type {Format} from '../../read/data-package.ts';
import type {RowFault, RowPlace} from './broken-rows.ts';
import {parseRows} from './json-rows.ts';
import {recordStarts, textLines} from '../lines.ts';
import type {Rejected} from './rejected-records.ts';
import type {Table} from '../table.ts';

/** The physical lines of a file's rows, by number, and of its rejected records, by offset. */
interface Lines {
  ofRow(row: number): number | undefined;
  ofOffset(offset: number): number | undefined;
}

/** Turns row numbers and byte offsets into physical lines, where the format has lines. */
export async function place(
  root: string,
  table: Table,
  rejects: readonly Rejected[],
  rows: readonly RowFault[],
): Promise<Fault[]> {
  const named = new Set([...rejects, ...rows, ...rows.flatMap(({first}) => first ?? [])].map(({file}) => file));
  const lines = new Map<string, Lines>();
  for (const file of named) lines.set(file, await linesOf(root, table, file, rejects));
  const lineOf = ({file, row}: RowPlace) => lines.get(file)?.ofRow(row);
  return [
    ...rejects.map(({file, offset, fault}) => ({file, line: lines.get(file)?.ofOffset(offset), ...fault})),
    ...rows.map(row => placedRow(row, lineOf)),
  ];
}

function placedRow({file, row, fault, first}: RowFault, lineOf: (place: RowPlace) => number | undefined): Fault {
  const line = lineOf({file, row});
  const field = line === undefined ? [`row ${row}`, fault.field].join(' ') : fault.field;
  return {...fault, file, line, field, rule: first ? `${fault.rule}: first in ${wordsFor(first)}` : fault.rule};

  function wordsFor(other: RowPlace): string {
    const otherLine = lineOf(other);
    const where = otherLine === undefined ? `row ${other.row}` : `line ${otherLine}`;
    return other.file === file ? where : `${where} of ${other.file}`;
  }
}

async function linesOf(root: string, {freeze}: Table, file: string, rejects: readonly Rejected[]): Promise<Lines> {
  if (freeze.format === 'csv') return linesOfRecords(root, file, freeze.delimiter, rejects);
  const rows = await linesOfJson(root, file, freeze.format);
  return {ofRow: row => rows[row - 1], ofOffset: () => undefined};
}

async function linesOfJson(root: string, file: string, format: Format): Promise<readonly number[]> {
  if (format === 'json') return (await parseRows(root, file)).lines;
  const rows: number[] = [];
  if (format === 'ndjson') for await (const {line} of textLines(root, file)) rows.push(line);
  return rows;
}

/** DuckDB gives the offset of a rejected record, or of the line end before it. */
async function linesOfRecords(
  root: string,
  file: string,
  delimiter: string,
  rejects: readonly Rejected[],
): Promise<Lines> {
  const waiting = rejects
    .filter(reject => reject.file === file)
    .map(({offset}) => offset)
    .sort((a, b) => b - a);
  const rows: number[] = [];
  const offsets = new Map<number, number>();
  let header = true;
  for await (const {offset, line} of recordStarts(root, file, delimiter)) {
    const rejected = waiting.at(-1);
    if (rejected !== undefined && rejected <= offset) {
      offsets.set(rejected, line);
      waiting.pop();
    } else if (!header) rows.push(line);
    header = false;
  }
  return {ofRow: row => rows[row - 1], ofOffset: offset => offsets.get(offset)};
}
