import {DENY, EVENTS} from './bad-input/bad-input.ts';
import {csv} from './bad-input/csv.ts';
import {descriptors} from './bad-input/descriptors.ts';
import {events} from './bad-input/events.ts';
import {ndjson} from './bad-input/ndjson.ts';
import {parquets} from './bad-input/parquet.ts';
import {testRefusals, WRITES} from './bad-input/refusals.ts';
import {schemas} from './bad-input/schemas.ts';
import {sites} from './bad-input/sites.ts';
import {values} from './bad-input/values.ts';
import {writes} from './bad-input/writes.ts';

testRefusals({CSV: csv, NDJSON: ndjson, Parquet: parquets}, [DENY]);
testRefusals({events}, [EVENTS]);
testRefusals({
  'data/site.json': sites,
  'datapackage.json': descriptors,
  'a Table Schema': schemas,
  'values of rows': values,
  [WRITES]: writes,
});
