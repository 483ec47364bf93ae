import {gfmTableToMarkdown} from 'mdast-util-gfm-table';
import {toMarkdown} from 'mdast-util-to-markdown';
import {counted} from '../../shared/counted.ts';
import {describeFault, type Fault} from '../../shared/fault.ts';
import {list, paragraph, type Block} from './blocks.ts';
import {productSections, summary} from './layout.ts';
import {siteSections} from './layout-site.ts';
import type {Review} from './report.ts';
import {say} from './words.ts';

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
  const items = faults.slice(0, 20).map(fault => ({words: say`${describeFault(fault)}`, tone: 'broken' as const}));
  return `${MARKER}\n\n${written([paragraph('The review cannot be made:'), list(items)])}`;
}

function written(children: Block[]): string {
  return toMarkdown({type: 'root', children}, {extensions: [gfmTableToMarkdown()], bullet: '-', fences: true});
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
