import {csv} from './bad-input/csv.ts';
import {events} from './bad-input/events.ts';
import {json} from './bad-input/json.ts';
import {ndjson} from './bad-input/ndjson.ts';
import {packed} from './bad-input/packed.ts';
import {prices, products} from './bad-input/products.ts';
import {testRefusals} from './bad-input/refusals.ts';
import {values} from './bad-input/values.ts';
import {writes} from './bad-input/writes.ts';

testRefusals({
  'data/products': products,
  'a price': prices,
  CSV: csv,
  'values of rows': values,
  gzip: packed,
  NDJSON: ndjson,
  JSON: json,
  events,
  'the folders it writes': writes,
});
