import {toString} from 'mdast-util-to-string';
import type {Table} from 'mdast';
import pc from '../terminal/colours.ts';
import type {Block, Tone} from './blocks.ts';
import {productSections, summary} from './layout.ts';
import {siteSections} from './layout-site.ts';
import type {Review} from './report.ts';

type Paint = (text: string) => string;

const PAINT: Readonly<Record<Tone, Paint>> = {broken: pc.red, warning: pc.yellow, fine: pc.green, quiet: pc.dim};
const MARKS: Readonly<Record<Tone, string>> = {broken: '', warning: '! ', fine: '', quiet: '· '};
/** The signs of a diff, as a terminal shows them. */
const SIGNS: Readonly<Record<string, readonly [sign: string, paint: Paint]>> = {
  '+': ['+', pc.green],
  '-': ['-', pc.red],
  '!': ['~', pc.yellow],
  '#': ['…', pc.dim],
};

/** The review for a terminal; plain where there are no colours. */
export function terminal(review: Review): string {
  const blocks = [...summary(review), ...productSections(review).flat(), ...siteSections(review)];
  return `${blocks.flatMap(lines).join('\n')}\n`;
}

function lines(block: Block): string[] {
  switch (block.type) {
    case 'heading':
      return [...(block.depth === 2 ? [] : ['']), pc.bold(painted(block))];
    case 'paragraph':
      return [painted(block)];
    case 'list':
      return block.children.map(item => `  ${painted(item)}`);
    case 'table':
      return tableLines(block);
    case 'code':
      return block.value.split('\n').map(line => {
        const [sign, paint] = SIGNS[line.charAt(0)] ?? ['', String];
        return paint(`  ${sign}${line.slice(1)}`);
      });
  }
}

function painted(node: Block | Extract<Block, {type: 'list'}>['children'][number]): string {
  const tone = node.data?.tone;
  if (tone === undefined) return toString(node);
  return PAINT[tone]((node.type === 'listItem' ? MARKS[tone] : '') + toString(node));
}

/** Columns as wide as their widest cell. */
function tableLines({align, children}: Table): string[] {
  const rows = children.map(row => row.children.map(cell => toString(cell)));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const [head = '', ...rest] = rows.map(row => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return align?.[column] === 'right' ? cell.padStart(width) : cell.padEnd(width);
    });
    return `  ${cells.join('  ')}`.trimEnd();
  });
  return [pc.dim(head), ...rest];
}
