import type {ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import {encode} from '../../documents/text.ts';
import type {Site} from '../../read/site.ts';
import {textOf, type Html} from '../html/layout.ts';
import {datasetOf} from './dataset.ts';
import {product} from './product.ts';
import {shelfLine} from './shelf.ts';

/** Room for each part of the page, in bytes; with style and frame it stays below 100 KB however much is for sale. */
const ROOM = {articles: 52_000, datasets: 14_000, lines: 14_000};

/** What of the products the page shows. */
export interface Fitted {
  readonly lines: readonly Html[];
  readonly articles: readonly Html[];
  /** The products that are described as data sets. */
  readonly described: readonly ProductRecord[];
  /** How many products have no line. */
  readonly more: number;
}

/** Shows whole products while there is room, then a line each, then their number: the catalogue has them all. */
export function fit(site: Site, products: readonly ProductRecord[]): Fitted {
  const articles = whileRoom(ROOM.articles, products, one => product(site, one), sizeOf);
  const described = whileRoom(
    ROOM.datasets,
    products,
    one => datasetOf(site, one),
    dataset => Buffer.byteLength(encode(dataset)),
  );
  const lines = whileRoom(ROOM.lines, products, lineTo(articles.length), sizeOf);
  return {
    lines,
    articles,
    described: products.slice(0, described.length),
    more: products.length - lines.length,
  };
}

/** A line leads to the product's article, which the first so many have, else to its sample. */
function lineTo(articles: number): (product: ProductRecord, index: number) => Html {
  return (one, index) => shelfLine(one, index < articles ? `#${one.name}` : paths.sample(one.name));
}

function sizeOf(template: Html): number {
  return Buffer.byteLength(textOf(template));
}

function whileRoom<T>(
  room: number,
  products: readonly ProductRecord[],
  make: (product: ProductRecord, index: number) => T,
  bytesOf: (made: T) => number,
): T[] {
  const made: T[] = [];
  for (const [index, one] of products.entries()) {
    const next = make(one, index);
    room -= bytesOf(next);
    if (room < 0) break;
    made.push(next);
  }
  return made;
}
