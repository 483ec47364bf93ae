import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, denySite, type SiteFixture} from '../build/site-fixture.ts';

/** Returns the results of the check for a stale build, as `state detail`. */
async function builtIn({root}: SiteFixture): Promise<string[]> {
  const checks = await verifySite(root);
  return checks.filter(({what}) => what === 'built').map(({state, detail}) => `${state} ${detail}`);
}

test('a folder is reported if a freeze or a product is newer than the build, or was removed', async () => {
  await using site = await denySite();
  await site.build();
  assert.deepEqual(await builtIn(site), [
    'passed every product is built from its latest freeze, with its title, kind and price',
  ]);

  await site.freeze({source: 'deny-list', date: '2026-06-01', files: {'a.csv': DENY_CSV}, schema: DENY_SCHEMA});
  await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'});
  assert.deepEqual(await builtIn(site), [
    'failed data/products/other.json is newer than the built site, which does not contain the product other: run frozen build',
    'failed data/products/soft-fail-3.json has a snapshot of 2026-06-01T12:00:00.000Z, newer than that of 2026-05-01T12:00:00.000Z, which was built: run frozen build',
  ]);

  await site.build();
  await rm(join(site.root, 'data/products/other.json'));
  assert.deepEqual(await builtIn(site), [
    'failed no file of data/products describes other, which was built: run frozen build',
  ]);
  await site.write('data/products/soft-fail-3.json', {
    ...CLASS_SHARE,
    ...{name: 'softfail3', title: 'Soft Fails', price: '$0.05', freeze: '2026-05-01'},
  });
  assert.deepEqual((await builtIn(site)).slice(0, 3), [
    'failed data/products/soft-fail-3.json has the title "Soft Fails", and "Soft Fail 3" was built: run frozen build',
    'failed data/products/soft-fail-3.json has the price "$0.05", and "$0.02" was built: run frozen build',
    'failed data/products/soft-fail-3.json has a snapshot of 2026-05-01T12:00:00.000Z, older than that of 2026-06-01T12:00:00.000Z, which was built: run frozen build',
  ]);
  await site.write('data/products/soft-fail-3.json', '{');
  assert.match(
    (await builtIn(site)).join(),
    /^unchecked not checked: data\/products\/soft-fail-3\.json:1:1 is not JSON/,
  );
});
