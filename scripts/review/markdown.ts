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
  return blocks
    .map((block, at) => `${at > 0 && !(isItem(block) && isItem(blocks[at - 1])) ? '\n' : ''}${markdownOf(block)}\n`)
    .join('');
}

function isItem(block: Block | undefined): boolean {
  return block?.kind === 'item';
}

const MARKS = {title: '## ', section: '### ', text: '', item: '- '} as const;

function markdownOf(block: Block): string {
  // Each line of a diff starts with its sign, so none of them ends the code.
  if (block.kind === 'diff') return ['```diff', ...block.lines, '```'].join('\n');
  if (block.kind !== 'table')
    return MARKS[block.kind] + (isItem(block) && block.tone === 'broken' ? '❌ ' : '') + spans(block.words);
  const [head = [], ...rest] = block.rows.map(row => row.map(cell => spans(cell, true)));
  const sides = head.map((_title, column) => (block.right.includes(column) ? '---:' : ':---'));
  return [head, sides, ...rest].map(row => `| ${row.join(' | ')} |`).join('\n');
}

/** Returns a sentence as Markdown. */
function spans(words: Words, inTable = false): string {
  return words.map(part => (typeof part === 'string' ? escaped(part) : code(part.data, inTable))).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&|~]/g, '\\$&');
}

/**
 * Code ends at a run of as many backticks as it starts with. CommonMark removes a space on both sides. In a table, `|` also needs a backslash
 * in code: for some parsers an odd number of them (https://github.com/github/cmark-gfm/issues/277).
 */
function code(data: string, inTable: boolean): string {
  const longest = Math.max(0, ...(data.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(data) ? ' ' : '';
  return fence + pad + (inTable ? data.replaceAll(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|') : data) + pad + fence;
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
