import {toString} from 'mdast-util-to-string';
import type {ListItem, Table} from 'mdast';
import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';
import type {Block, Tone} from './blocks.ts';
import {productSections, summary} from './layout.ts';
import {siteSections} from './layout-site.ts';
import type {Review} from './report.ts';

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
      return linesOf(block);
    case 'code':
      return block.value.split('\n').map(line => {
        const [sign, paint] = SIGNS[line.charAt(0)] ?? ['', String];
        return paint(`  ${sign}${line.slice(1)}`);
      });
  }
}

function painted(node: Block | ListItem): string {
  const [mark, paint] = node.data?.tone ? TONES[node.data.tone] : ['', String];
  return paint((node.type === 'listItem' ? mark : '') + toString(node));
}

function linesOf({align = [], children}: Table): string[] {
  const rows = children.map(row => row.children.map(cell => toString(cell)));
  const right = (align ?? []).flatMap((side, column) => (side === 'right' ? column : []));
  const [head = '', ...rest] = tableLines(rows, right).map(line => `  ${line}`);
  return [pc.dim(head), ...rest];
}
