import type {ProductRecord} from '../../documents/record.ts';

/** The latest `as_of` of all products: when the site last changed, for there is no clock. */
export function latestOf(products: readonly ProductRecord[]): string {
  const moments = products.map(({published}) => published.as_of);
  return moments.reduce((latest, moment) => (moment > latest ? moment : latest), '');
}
