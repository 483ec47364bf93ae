import type {Code, Heading, List, ListItem, Paragraph, Table, TableCell} from 'mdast';
import {own, type Words} from './words.ts';

/** A part of the review as a syntax tree, which is rendered as Markdown or for the terminal. */
export type Block = Heading | Paragraph | List | Table | Code;

/** A cell of a table. A string is trusted text of this program. */
export type Cell = string | Words;

export type Tone = 'broken' | 'warning' | 'fine' | 'quiet';

declare module 'mdast' {
  interface Data {
    tone?: Tone | undefined;
  }
}

export function heading(depth: 2 | 3, text: string | Words, tone?: Tone): Heading {
  return {type: 'heading', depth, children: own(text), data: {tone}};
}

export function paragraph(text: string | Words, tone?: Tone): Paragraph {
  return {type: 'paragraph', children: own(text), data: {tone}};
}

export function list(items: readonly {readonly words: Words; readonly tone: Tone}[]): List {
  const children = items.map(({words, tone}): ListItem => {
    const mark = own(tone === 'broken' ? '❌ ' : '');
    return {type: 'listItem', spread: false, children: [paragraph([...mark, ...words])], data: {tone}};
  });
  return {type: 'list', spread: false, children};
}

/** Columns of numbers. */
const NUMERIC = ['before', 'after', 'difference', 'relative', 'price before', 'price after'];

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): Table {
  const cell = (text: Cell): TableCell => ({type: 'tableCell', children: own(text)});
  return {
    type: 'table',
    align: head.map(title => (NUMERIC.includes(title) ? 'right' : 'left')),
    children: [head, ...rows].map(row => ({type: 'tableRow', children: row.map(cell)})),
  };
}

/** Returns lines of data with prefixes that a diff highlights: `+`, `-`, `!` for a change, `#` for a remark. */
export function diff(title: Words, lines: readonly string[]): Block[] {
  const code: Code = {type: 'code', lang: 'diff', value: lines.join('\n')};
  return [paragraph(title), ...(lines.length > 0 ? [code] : [])];
}
