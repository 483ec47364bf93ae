import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {ProductRecord} from '../../documents/record.ts';
import {encode} from '../../documents/text.ts';
import type {Site} from '../../read/site.ts';
import {textOf, type Html} from '../html/layout.ts';
import {dateWords, summaryOf} from '../html/words.ts';
import {article} from './article.ts';
import {datasetOf} from './dataset.ts';

/** Room for each part of the page, in bytes; with style and frame it stays below 100 KB however much is for sale. */
const ROOM = {articles: 52_000, datasets: 14_000, lines: 14_000};

/** Shows whole products while there is room, then a line each, then their number: the catalogue has them all. */
export function fit(site: Site, products: readonly ProductRecord[]) {
  const articles = whileRoom(ROOM.articles, products, product => article(site, product), textOf);
  const datasets = whileRoom(ROOM.datasets, products, product => datasetOf(site, product), encode);
  const lineOf = (product: ProductRecord, index: number) =>
    shelfLine(product, index < articles.length ? `#${product.name}` : paths.sample(product.name));
  const lines = whileRoom(ROOM.lines, products, lineOf, textOf);
  return {articles, datasets, lines, more: products.length - lines.length};
}

/** @param href where the line leads: the product's part of the page, or its sample */
function shelfLine({title, price, published}: ProductRecord, href: string): Html {
  const {as_of} = published;
  return html`<li>
    <a href="${href}">${title}</a>
    <span class="soft">${summaryOf(published)}</span>
    <time class="soft" datetime="${as_of}">${dateWords(as_of)}</time>
    <span class="price">${price.text}</span>
  </li>`;
}

function whileRoom<T>(
  room: number,
  products: readonly ProductRecord[],
  show: (product: ProductRecord, index: number) => T,
  asText: (shown: T) => string,
): T[] {
  const all: T[] = [];
  for (const [index, product] of products.entries()) {
    const shown = show(product, index);
    room -= Buffer.byteLength(asText(shown));
    if (room < 0) break;
    all.push(shown);
  }
  return all;
}
