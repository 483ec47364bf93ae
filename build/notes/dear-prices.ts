import type {Product} from '../kinds/kind.ts';
import {priceOf} from '../../shared/price.ts';

/** What a stock x402 client pays at most for one request, unless it is told otherwise. */
const CLIENT_LIMIT = '$1.00';

/** Notes on prices that most buyers' programs will refuse to pay. */
export function dearPrices(products: readonly Product[]): string[] {
  return products
    .filter(({price}) => priceOf(price).micros > priceOf(CLIENT_LIMIT).micros)
    .map(
      ({title, price}) =>
        `${title} costs ${price}: stock x402 clients refuse to pay more than ${CLIENT_LIMIT} a request`,
    );
}
