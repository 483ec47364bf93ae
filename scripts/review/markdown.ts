import type {PhrasingContent, RootContent, TableCell} from 'mdast';
import {gfmTableToMarkdown} from 'mdast-util-gfm-table';
import {toMarkdown} from 'mdast-util-to-markdown';
import {counted} from '../../shared/counted.ts';
import type {Fault} from '../../shared/fault.ts';
import {describeFault} from '../../shared/fault.ts';
import type {Block} from './blocks.ts';
import {productSections, summary} from './layout.ts';
import {siteSections} from './layout-site.ts';
import {shownText} from './shown-text.ts';
import type {Review} from './report.ts';
import {NUMERIC} from './terminal.ts';
import type {Words} from './words.ts';

/** Tells the review's comment on a pull request from others. */
export const MARKER = '<!-- frozen-snapshots-review -->';

/** GitHub takes comments of 65,536 characters; bytes are at least as many. */
const MOST_BYTES = 60_000;

/**
 * The review for a comment on a pull request. Data stands in code only, where no host of Markdown takes it for a link,
 * a mention, an issue or HTML. Products that no longer fit a comment are counted.
 */
export function markdown(review: Review): string {
  const [top, site] = [written(summary(review)), written(siteSections(review))];
  const products = productSections(review).map(written);
  const room = MOST_BYTES - bytes(MARKER) - bytes(top) - bytes(site);
  const fitting = fit(products, room);
  const more = products.length - fitting.length;
  const rest = more > 0 ? `${counted(more, 'more product')} changed: run \`npx frozen review\` to see them.\n` : '';
  return [`${MARKER}\n`, cut(top), ...fitting, rest, bytes(top) + bytes(site) < MOST_BYTES ? site : '']
    .filter(part => part !== '')
    .join('\n');
}

/** What is wrong where a review cannot be made. */
export function faultMarkdown(faults: readonly Fault[]): string {
  const items = faults.slice(0, 20).map(fault => ({words: [{data: describeFault(fault)}], tone: 'broken' as const}));
  return `${MARKER}\n\n${written([
    {type: 'paragraph', words: ['The review cannot be made:']},
    {type: 'list', items},
  ])}`;
}

function written(blocks: readonly Block[]): string {
  const children = blocks.flatMap(nodes);
  if (children.length === 0) return '';
  return toMarkdown({type: 'root', children}, {extensions: [gfmTableToMarkdown()], bullet: '-', fences: true});
}

function fit(sections: readonly string[], room: number): string[] {
  let left = room;
  const over = sections.findIndex(section => (left -= bytes(section) + 1) < 0);
  return sections.slice(0, over === -1 ? sections.length : over);
}

/** So many findings that they alone do not fit: as many whole lines as do. */
function cut(top: string): string {
  if (bytes(top) < MOST_BYTES) return top;
  const lines = top.split('\n');
  const kept = fit(lines, MOST_BYTES - 1000);
  return `${kept.join('\n')}\n- and ${lines.length - kept.length} more\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function nodes(block: Block): RootContent[] {
  switch (block.type) {
    case 'heading':
      return [{type: 'heading', depth: block.level === 1 ? 2 : 3, children: phrases(block.words)}];
    case 'paragraph':
      return [{type: 'paragraph', children: phrases(block.words)}];
    case 'list':
      return [
        {
          type: 'list',
          spread: false,
          children: block.items.map(({words, tone}) => ({
            type: 'listItem',
            spread: false,
            children: [
              {
                type: 'paragraph',
                children: tone === 'broken' ? [{type: 'text', value: '❌ '}, ...phrases(words)] : phrases(words),
              },
            ],
          })),
        },
      ];
    case 'table':
      return [tableNode(block)];
    case 'lines':
      return [
        {type: 'paragraph', children: phrases(block.title)},
        {
          type: 'code',
          lang: 'diff',
          value: block.lines.map(({sign, text}) => `${DIFF[sign]} ${shownText(text)}`).join('\n'),
        },
      ];
  }
}

/** What the colours of a diff know: `!` is a change, `#` a remark. */
const DIFF = {'+': '+', '-': '-', '~': '!', '…': '#'} as const;

function tableNode({head, rows}: Extract<Block, {type: 'table'}>): RootContent {
  const cell = (words: Words): TableCell => ({type: 'tableCell', children: phrases(words)});
  return {
    type: 'table',
    align: head.map(title => (NUMERIC.has(title) ? 'right' : 'left')),
    children: [head.map(title => [title]), ...rows].map(row => ({type: 'tableRow', children: row.map(cell)})),
  };
}

function phrases(words: Words): PhrasingContent[] {
  return words.map(word =>
    typeof word === 'string' ? {type: 'text', value: word} : {type: 'inlineCode', value: shownText(word.data)},
  );
}
