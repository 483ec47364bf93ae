import {own, type Words} from './words.ts';

export type Tone = 'broken' | 'warning' | 'fine' | 'quiet';

/** A cell of a table. A string is trusted text of this program. */
export type Cell = string | Words;

/** A part of the review, for the terminal and for Markdown. */
export type Block =
  | {readonly kind: 'title' | 'section' | 'text' | 'item'; readonly words: Words; readonly tone?: Tone | undefined}
  | {readonly kind: 'table'; readonly rows: readonly (readonly Words[])[]; readonly right: readonly number[]}
  /** Lines that a diff highlights: `+`, `-`, `!` for a change, `#` for a remark. */
  | {readonly kind: 'diff'; readonly lines: readonly string[]};

export function line(kind: 'title' | 'section' | 'text' | 'item', words: Cell, tone?: Tone): Block {
  return {kind, words: own(words), tone};
}

/** Columns of numbers. */
const NUMERIC = ['before', 'after', 'difference', 'relative', 'price before', 'price after'];

/** Returns a table. Columns with the titles of numbers are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): Block {
  const right = head.flatMap((title, column) => (NUMERIC.includes(title) ? column : []));
  return {kind: 'table', rows: [head, ...rows].map(row => row.map(own)), right};
}

/** Returns a title with lines of data. */
export function diff(title: Words, lines: readonly string[]): Block[] {
  return [line('text', title), ...(lines.length > 0 ? [{kind: 'diff', lines} as const] : [])];
}
