import {csv} from './bad-input/csv.ts';
import {json} from './bad-input/json.ts';
import {packed} from './bad-input/packed.ts';
import {prices, products} from './bad-input/products.ts';
import {testRefusals} from './bad-input/refusals.ts';

testRefusals({
  'data/products': products,
  'a price': prices,
  CSV: csv,
  gzip: packed,
  JSON: json,
});
