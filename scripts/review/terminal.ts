import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';
import type {Block, Tone} from './blocks.ts';
import {productSections, siteSections, summary} from './layout.ts';
import type {Review} from './report.ts';
import {plain} from './words.ts';

/** A mark before a text, and the colour of both. */
type Style = readonly [mark: string, paint: (text: string) => string];

const TONES: Readonly<Record<Tone, Style>> = {
  broken: ['', pc.red],
  warning: ['! ', pc.yellow],
  fine: ['', pc.green],
  quiet: ['· ', pc.dim],
};
/** Marks and colours of the lines in a diff. */
const SIGNS: Readonly<Record<string, Style>> = {
  '+': ['+', pc.green],
  '-': ['-', pc.red],
  '!': ['~', pc.yellow],
  '#': ['…', pc.dim],
};

/** Returns the review for the terminal, without colours if these are off. */
export function terminal(review: Review): string {
  const blocks = [...summary(review), ...productSections(review).flat(), ...siteSections(review)];
  return `${blocks.flatMap(linesOf).join('\n')}\n`;
}

function linesOf(block: Block): string[] {
  if (block.kind === 'table') {
    const rows = block.rows.map(row => row.map(plain));
    const [head = '', ...rest] = tableLines(rows, block.right).map(row => `  ${row}`);
    return [pc.dim(head), ...rest];
  }
  if (block.kind === 'diff')
    return block.lines.map(row => {
      const [sign, paint] = SIGNS[row.charAt(0)] ?? ['', String];
      return paint(`  ${sign}${row.slice(1)}`);
    });
  const {kind, words, tone} = block;
  const [mark, paint] = tone ? TONES[tone] : ['', String];
  const text = paint(plain(words));
  if (kind === 'item') return [`  ${paint(mark + plain(words))}`];
  return kind === 'text' ? [text] : [...(kind === 'section' ? [''] : []), pc.bold(text)];
}
