import assert from 'node:assert/strict';
import {cp} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {goodSite, stateOf, type BadInput} from './bad-input/bad-input.ts';
import {csv} from './bad-input/csv.ts';
import {descriptors} from './bad-input/descriptors.ts';
import {events} from './bad-input/events.ts';
import {json} from './bad-input/json.ts';
import {ndjson} from './bad-input/ndjson.ts';
import {packed} from './bad-input/packed.ts';
import {parquets} from './bad-input/parquet.ts';
import {prices, products} from './bad-input/products.ts';
import {schemas} from './bad-input/schemas.ts';
import {sites} from './bad-input/sites.ts';
import {values} from './bad-input/values.ts';
import {writes} from './bad-input/writes.ts';
import {emptySite, type SiteFixture} from './site-fixture.ts';

const tables = {
  'data/site.json': sites,
  'data/products': products,
  'a price': prices,
  'datapackage.json': descriptors,
  'a Table Schema': schemas,
  CSV: csv,
  'values of rows': values,
  gzip: packed,
  NDJSON: ndjson,
  JSON: json,
  Parquet: parquets,
  events,
  'the folders it writes': writes,
};

let built: SiteFixture;

before(async () => {
  built = await goodSite();
  assert.equal((await built.build()).err, '');
});
after(() => built[Symbol.asyncDispose]());

for (const [input, table] of Object.entries(tables)) {
  describe(`the generator, given bad input in ${input}`, {concurrency: 4}, () => {
    for (const bad of table) it(`refuses ${bad.name}`, () => refuses(bad));
  });
}

/** Breaks a copy of the good site, builds it, and looks at the answer, and whether anything at all changed below the root. */
async function refuses({breaks, says}: BadInput): Promise<void> {
  await using site = await emptySite();
  await cp(built.root, site.root, {recursive: true});
  await breaks(site);
  const standing = await stateOf(site.root);
  const {code, out, err} = await site.build();
  if (says instanceof RegExp) assert.match(err, says);
  else assert.equal(err, `${[says].flat().join('\n')}\n`);
  assert.doesNotMatch(err, /\n\s+at /);
  assert.doesNotMatch(err, new RegExp(site.root));
  assert.deepEqual({code, out}, {code: 1, out: ''});
  assert.deepEqual(await stateOf(site.root), standing);
}
