import pc from '../terminal/colours.ts';
import {textTable} from '../terminal/table.ts';
import type {Finding} from './finding.ts';

const MARKS = {ok: ['✓', pc.green], problem: ['✗', pc.red], unchecked: ['·', pc.dim]} as const;

/** Formats findings as an aligned table, with the remedy of a problem in the line below it. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({subject, state, detail, remedy}) => [
    {state, cells: [MARKS[state][0], subject, detail]},
    ...(remedy === undefined ? [] : [{state, cells: ['', '', `→ ${remedy}`]}]),
  ]);
  const paint = (row: number, column: number) => (column === 0 ? MARKS[rows[row]?.state ?? 'ok'][1] : String);
  return textTable(
    rows.map(({cells}) => cells),
    paint,
  ).join('\n');
}
