import {json} from './bad-input/json.ts';
import {packed} from './bad-input/packed.ts';
import {prices, products} from './bad-input/products.ts';
import {testRefusals} from './bad-input/refusals.ts';

testRefusals({
  'data/products': products,
  'a price': prices,
  gzip: packed,
  JSON: json,
});
