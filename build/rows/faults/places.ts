import type {Fault} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import {recordStarts, textLines} from '../lines.ts';
import type {List} from '../relation.ts';
import type {RowFault, RowPlace} from './broken-rows.ts';
import {parseRows} from './broken-text.ts';
import type {Rejected} from './rejected-records.ts';

/** The physical lines of a file's rows, in order, and of its rejected records, by offset; none where the format has no lines. */
interface Lines {
  readonly rows: readonly number[];
  readonly rejects: ReadonlyMap<number, number>;
}

/** Turns row numbers and byte offsets into physical lines, where the format has lines. */
export async function place(
  {root, table}: List,
  rejects: readonly Rejected[],
  rows: readonly RowFault[],
): Promise<Fault[]> {
  const lines = new Map<string, Lines>();
  for (const {file} of [...rejects, ...rows, ...rows.flatMap(({first}) => first ?? [])])
    if (!lines.has(file)) lines.set(file, await linesOf(root, table.freeze, file, rejects));
  const lineOf = ({file, row}: RowPlace) => lines.get(file)?.rows[row - 1];
  return [
    ...rejects.map(({file, offset, fault}) => ({file, line: lines.get(file)?.rejects.get(offset), ...fault})),
    ...rows.map(row => placedRow(row, lineOf)),
  ];
}

function placedRow({file, row, fault, first}: RowFault, lineOf: (place: RowPlace) => number | undefined): Fault {
  const line = lineOf({file, row});
  const field = line === undefined ? [`row ${row}`, fault.field].join(' ') : fault.field;
  if (!first) return {...fault, file, line, field};
  const firstLine = lineOf(first);
  const where = firstLine === undefined ? `row ${first.row}` : `line ${firstLine}`;
  const whole = first.file === file ? where : `${where} of ${first.file}`;
  return {...fault, file, line, field, rule: `${fault.rule}: first in ${whole}`};
}

async function linesOf(root: string, freeze: Freeze, file: string, rejects: readonly Rejected[]): Promise<Lines> {
  const lines = {rows: new Array<number>(), rejects: new Map<number, number>()};
  if (freeze.format === 'json') return {...lines, rows: (await parseRows(root, file)).lines};
  if (freeze.format === 'ndjson') for await (const {line} of textLines(root, file)) lines.rows.push(line);
  if (freeze.format !== 'csv') return lines;
  // DuckDB gives the offset of a rejected record, or of the line end before it.
  const offsets = rejects.filter(reject => reject.file === file).map(({offset}) => offset);
  const waiting = offsets.sort((a, b) => b - a);
  let header = true;
  for await (const {offset, line} of recordStarts(root, file, freeze.delimiter)) {
    const rejected = waiting.at(-1);
    if (rejected !== undefined && rejected <= offset) {
      lines.rejects.set(rejected, line);
      waiting.pop();
    } else if (!header) lines.rows.push(line);
    header = false;
  }
  return lines;
}
