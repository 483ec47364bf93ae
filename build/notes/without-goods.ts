import type {ProductDocuments} from '../documents/documents.ts';
import {someOf} from './some-of.ts';

/** A note on the products that sell no row and no event, where there are any. */
export function withoutGoods(products: readonly ProductDocuments[]): string[] {
  const titles = products.filter(({sold}) => sold === 0).map(({computed}) => computed.product.title);
  return titles.length === 0 ? [] : [`nothing but figures is sold of ${someOf(titles)}`];
}
