import type {ProductDocuments} from '../compose/documents.ts';

const MOST_NAMED = 5;

/** A note on the products whose free sample shows every row that is sold, where there are any. */
export function givenAway(products: readonly ProductDocuments[]): string[] {
  const titles = products.filter(showsAll).map(({computed}) => computed.product.title);
  const more = titles.length - MOST_NAMED;
  const named = [...titles.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  return titles.length === 0 ? [] : [`the free sample shows all rows that are sold of ${named.join(', ')}`];
}

function showsAll({computed, sold}: ProductDocuments): boolean {
  const {examples} = computed.snapshot.content.sample;
  return sold > 0 && Array.isArray(examples) && examples.length >= sold;
}
