import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {foot, pageHead, layout, type Html} from '../html/layout.ts';
import {datasetOf, linkedData} from '../html/linked-data.ts';
import {capitalised} from '../../../shared/english.ts';
import {buying, offer, sample} from './summary.ts';
import {changes, figures, highlight} from './figures.ts';
import {editions, columnMeanings, examples} from './examples.ts';

/** The part of a product's documents that its page shows. */
export interface Excerpt {
  /** The text of the free sample. */
  readonly sample: string;
  /** The rows and columns of the sample that are shown. */
  readonly examples: readonly Json[];
}

/** How much of each long section a page shows. */
export interface Extent {
  readonly rows: number;
  /** Lines of the sample. */
  readonly lines: number;
  readonly parts: number;
  /** Classes, groups, or columns with a description. */
  readonly items: number;
  /** Points of the chart over time. */
  readonly points: number;
  /** True for a small page: short descriptions for search engines, and no example for curl. */
  readonly isBrief?: boolean;
  /** True for the smallest page: no example program. */
  readonly isShortest?: boolean;
}

export const MOST_BYTES = 12_288;

/** The first of these that makes the page small enough is used. The free sample and the catalogue have everything. */
const EXTENTS: readonly Extent[] = [
  {rows: 10, lines: 40, parts: 20, items: 40, points: 24},
  {rows: 5, lines: 20, parts: 10, items: 20, points: 24},
  {rows: 5, lines: 0, parts: 10, items: 20, points: 16},
  {rows: 3, lines: 0, parts: 5, items: 10, points: 12},
  {rows: 3, lines: 0, parts: 5, items: 8, points: 8, isBrief: true},
  {rows: 1, lines: 0, parts: 3, items: 6, points: 4, isBrief: true},
  {rows: 1, lines: 0, parts: 3, items: 8, points: 4, isBrief: true, isShortest: true},
  {rows: 0, lines: 0, parts: 3, items: 8, points: 4, isBrief: true, isShortest: true},
  {rows: 0, lines: 0, parts: 2, items: 3, points: 2, isBrief: true, isShortest: true},
];

/** Returns the page of a product. */
export function productPage(site: Site, product: UnpagedRecord, excerpt: Excerpt): string {
  let page = '';
  for (const extent of EXTENTS) {
    page = composed(site, product, excerpt, extent);
    if (Buffer.byteLength(page) <= MOST_BYTES) break;
  }
  return page;
}

function composed(site: Site, product: UnpagedRecord, excerpt: Excerpt, extent: Extent): string {
  const {name, title, difference} = product;
  const description = `${capitalised(difference)}.`;
  return layout({
    title: `${title}: ${site.title}`,
    description,
    shown: {site, path: paths.page(name)},
    head: linkedData(datasetOf(site, product, extent)),
    body: html`<div class="page">
      ${pageHead(site)}
      <main class="product">
        <header>
          <h1>${title}</h1>
          <p class="lead">${description}</p>
        </header>
        ${highlight(product, extent)} ${offer(product)}
        <div class="body">${sections(product, excerpt, extent)} ${buying(site, product, extent)}</div>
      </main>
      ${foot(site)}
      <p class="unseen" role="status" id="copy-status"></p>
    </div>`,
  });
}

function sections(product: UnpagedRecord, excerpt: Excerpt, extent: Extent): Html {
  return html`${figures(product, extent)} ${changes(product, extent.items)}
    <div class="sample" id="sample">
      ${examples(product, excerpt.examples.slice(0, extent.rows))} ${sample(product, excerpt.sample, extent.lines)}
    </div>
    ${columnMeanings(product, extent.items)} ${editions(product, extent.parts)}`;
}
