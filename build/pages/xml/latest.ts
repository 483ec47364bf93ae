import type {ProductDocuments} from '../../documents/documents.ts';

/** The latest `as_of` of all products: when the site last changed, for there is no clock. */
export function latestOf(products: readonly ProductDocuments[]): string {
  const moments = products.map(({computed}) => computed.snapshot.as_of);
  return moments.reduce((latest, moment) => (moment > latest ? moment : latest), '');
}
