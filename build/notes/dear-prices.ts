import type {Product} from '../kinds/kind.ts';
import {microdollars} from '../../shared/price.ts';

/** What a stock x402 client pays at most for one request, unless it is told otherwise. */
const CLIENT_LIMIT = '$1.00';

/** Notes on prices that most buyers' programs will refuse to pay. */
export function dearPrices(products: readonly Product[]): string[] {
  return products
    .filter(({price}) => microdollars(price) > microdollars(CLIENT_LIMIT))
    .map(
      ({title, price}) =>
        `${title} costs ${price}: stock x402 clients refuse to pay more than ${CLIENT_LIMIT} a request`,
    );
}
