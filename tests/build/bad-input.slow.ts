import {descriptors} from './bad-input/descriptors.ts';
import {parquets} from './bad-input/parquet.ts';
import {testRefusals} from './bad-input/refusals.ts';
import {schemas} from './bad-input/schemas.ts';
import {sites} from './bad-input/sites.ts';

testRefusals({
  'data/site.json': sites,
  'datapackage.json': descriptors,
  'a Table Schema': schemas,
  Parquet: parquets,
});
