import pc from '../terminal/colours.ts';
import type {Block, Line, Tone} from './blocks.ts';
import {productSections, summary} from './layout.ts';
import {siteSections} from './layout-site.ts';
import {shownText} from './shown-text.ts';
import type {Review} from './report.ts';
import type {Words} from './words.ts';

/** The review for a terminal; plain where there are no colours. */
export function terminal(review: Review): string {
  const blocks = [...summary(review), ...productSections(review).flat(), ...siteSections(review)];
  return `${blocks.flatMap(render).join('\n')}\n`;
}

const PAINT = {broken: pc.red, warning: pc.yellow, fine: pc.green, quiet: pc.dim} as const satisfies Record<
  Tone,
  unknown
>;
const MARKS = {broken: '✗', warning: '!', fine: '✓', quiet: '·'} as const satisfies Record<Tone, string>;
const SIGNS = {'+': pc.green, '-': pc.red, '~': pc.yellow, '…': pc.dim} as const satisfies Record<
  Line['sign'],
  unknown
>;

function render(block: Block): string[] {
  const paint = 'tone' in block ? PAINT[block.tone] : String;
  switch (block.type) {
    case 'heading':
      return [...(block.level === 1 ? [] : ['']), pc.bold(paint(text(block.words)))];
    case 'paragraph':
      return [paint(text(block.words))];
    case 'list':
      return block.items.map(({words, tone}) => `  ${PAINT[tone](MARKS[tone])} ${text(words)}`);
    case 'table':
      return table(block.head, block.rows);
    case 'lines':
      return [
        `  ${text(block.title)}`,
        ...block.lines.map(({sign, text: line}) => SIGNS[sign](`    ${sign} ${shownText(line)}`)),
      ];
  }
}

function text(words: Words): string {
  return words.map(word => (typeof word === 'string' ? word : shownText(word.data))).join('');
}

/** Columns as wide as their widest cell; the first to the left, numbers of all others to the right. */
function table(head: readonly string[], rows: readonly (readonly Words[])[]): string[] {
  const cells = rows.map(row => row.map(text));
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map(row => row[column]?.length ?? 0)));
  const isNumeric = head.map((title, column) => column > 0 && NUMERIC.has(title) && cells.length > 0);
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => pad(cell, widths[column] ?? 0, isNumeric[column] === true)).join('  ')}`.trimEnd();
  const titles = head.some(title => title !== '') ? [pc.dim(line(head))] : [];
  return [...titles, ...cells.map(line)];
}

/** Columns that hold numbers. */
export const NUMERIC: ReadonlySet<string> = new Set([
  'before',
  'after',
  'difference',
  'relative',
  'price before',
  'price after',
]);

function pad(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width);
}
