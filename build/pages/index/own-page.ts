import type {ProductRecord} from '../../documents/record.ts';
import {textOf} from '../html/layout.ts';
import {article} from './article.ts';

/** So many products stand on one page, as long as there is room for them; of more, each has a page of its own. */
const MOST_TOGETHER = 20;

/** In bytes: with all else that stands beside them, the page stays below 100 KB. */
const ROOM = 58_000;

/** The page of a product that has one. With its ending, which no host needs a setting for. */
export function ownPage(name: string): string {
  return `/products/${name}.html`;
}

/** Whether each product has a page of its own. */
export function haveOwnPages(products: readonly ProductRecord[]): boolean {
  if (products.length > MOST_TOGETHER) return true;
  return products.reduce((sum, product) => sum + Buffer.byteLength(textOf(article(product))), 0) > ROOM;
}

/** Where a product is shown: its own page, or its part of the one page. */
export function addressOf(products: readonly ProductRecord[]): (name: string) => string {
  return haveOwnPages(products) ? ownPage : name => `/#${name}`;
}
