import type {ProductDocuments} from '../documents/documents.ts';
import {someOf} from './some-of.ts';

/** A note on the products whose free sample shows every row that is sold, where there are any. */
export function givenAway(products: readonly ProductDocuments[]): string[] {
  const titles = products.filter(showsAll).map(({computed}) => computed.product.title);
  return titles.length === 0 ? [] : [`the free sample shows all rows that are sold of ${someOf(titles)}`];
}

function showsAll({computed, sold}: ProductDocuments): boolean {
  const {examples} = computed.snapshot.content.sample;
  return sold > 0 && Array.isArray(examples) && examples.length >= sold;
}
