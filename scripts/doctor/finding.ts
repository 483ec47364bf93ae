import pc from '../terminal/colours.ts';
import {textTable} from '../terminal/table.ts';

/** The result of one check of `frozen doctor`. */
export interface Finding {
  readonly subject: string;
  /** `unchecked` if a setting is missing that only some sites need, or if a port is in use, which a running gate explains. */
  readonly state: 'ok' | 'problem' | 'unchecked';
  readonly detail: string;
  /** What to do about a problem. */
  readonly remedy?: string;
}

export function ok(subject: string, detail: string): Finding {
  return {subject, state: 'ok', detail};
}

export function problem(subject: string, detail: string, remedy: string): Finding {
  return {subject, state: 'problem', detail, remedy};
}

export function unchecked(subject: string, detail: string): Finding {
  return {subject, state: 'unchecked', detail};
}

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
