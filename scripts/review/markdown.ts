import type {PhrasingContent, RootContent} from 'mdast';
import {gfmTableToMarkdown} from 'mdast-util-gfm-table';
import {toMarkdown} from 'mdast-util-to-markdown';
import {counted} from '../../shared/counted.ts';
import {describeFault, type Fault} from '../../shared/fault.ts';
import {line, type Block} from './blocks.ts';
import {productSections, siteSections, summary} from './layout.ts';
import type {Review} from './report.ts';
import {say, type Words} from './words.ts';

/** Identifies the comment of the review on a pull request. */
export const MARKER = '<!-- frozen-snapshots-review -->';

/** GitHub limits comments to 65,536 characters. This is a limit in bytes, of which there are at least as many. */
const MOST_BYTES = 60_000;

/** Returns the review as Markdown for a comment on a pull request. Findings and products beyond the size limit are counted. */
export function markdown(review: Review): string {
  const top = fitted(written(summary(review)).split('\n'), MOST_BYTES, more => `- and ${more} more\n`);
  const whole = written(siteSections(review));
  const site = bytes(top) + bytes(whole) < MOST_BYTES ? whole : '';
  const products = fitted(
    productSections(review).map(written),
    MOST_BYTES - bytes(top) - bytes(site),
    more => `${counted(more, 'more product')} changed: run \`frozen review\` to see them.\n`,
  );
  return [`${MARKER}\n`, top, products, site].filter(part => part !== '').join('\n');
}

/** Returns the errors that prevent a review. */
export function faultMarkdown(faults: readonly Fault[]): string {
  const items = faults.slice(0, 20).map(fault => line('item', say`${describeFault(fault)}`, 'broken'));
  return `${MARKER}\n\n${written([line('text', 'The review cannot be made:'), ...items])}`;
}

/** Returns the blocks as Markdown, with an empty line between two blocks unless both are items of a list. */
function written(blocks: readonly Block[]): string {
  return toMarkdown(
    {type: 'root', children: blocks.map(nodeOf)},
    {
      extensions: [gfmTableToMarkdown({tablePipeAlign: false})],
      bullet: '-',
      join: [(left, right) => (left.type === 'listItem' && right.type === 'listItem' ? 0 : undefined)],
    },
  );
}

function nodeOf(block: Block): RootContent {
  if (block.kind === 'diff') return {type: 'code', lang: 'diff', value: block.lines.join('\n')};
  if (block.kind === 'table') {
    const rows = block.rows.map(row => row.map(cell => ({type: 'tableCell', children: spans(cell)}) as const));
    return {
      type: 'table',
      align: block.rows[0]?.map((_title, column) => (block.right.includes(column) ? 'right' : 'left')),
      children: rows.map(children => ({type: 'tableRow', children})),
    };
  }
  const children = spans(block.words);
  if (block.kind === 'title') return {type: 'heading', depth: 2, children};
  if (block.kind === 'section') return {type: 'heading', depth: 3, children};
  if (block.kind === 'text') return {type: 'paragraph', children};
  const mark = spans(block.tone === 'broken' ? ['❌ '] : []);
  return {type: 'listItem', spread: false, children: [{type: 'paragraph', children: [...mark, ...children]}]};
}

function spans(words: Words): PhrasingContent[] {
  return words.map(part =>
    typeof part === 'string' ? {type: 'text', value: part} : {type: 'inlineCode', value: part.data},
  );
}

/** Returns the parts that fit. The others are counted. */
function fitted(parts: readonly string[], room: number, rest: (more: number) => string): string {
  let left = room;
  const fitting = parts.filter(part => (left -= bytes(part) + 1) >= 0);
  const more = parts.length - fitting.length;
  return [...fitting, ...(more > 0 ? [rest(more)] : [])].join('\n');
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
