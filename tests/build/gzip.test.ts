import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {member, oddGzips} from './gzip-members.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

/** A site with this list, as gzip. */
async function packedSite(bytes: Uint8Array) {
  const site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'deny-list.csv.gz': bytes}, schema: DENY_SCHEMA});
  return site;
}

const PLAIN = {
  'a name': member(DENY_CSV, {name: 'list.csv'}),
  'an empty member first': Buffer.concat([member(''), member(DENY_CSV)]),
};

for (const [name, bytes] of Object.entries(PLAIN)) {
  test(`the build reads gzip with ${name}`, async () => {
    await using site = await packedSite(bytes);
    assert.equal((await site.build()).err, '');
    const sample = await readJson(site.root, 'public/api/v1/samples/softfail3.json');
    assert.deepEqual([sample['rows_n'], sample['soft_fail_n']], [4, 2]);
  });
}

for (const [name, bytes] of Object.entries(oddGzips(DENY_CSV))) {
  test(`the build refuses gzip with ${name}, which DuckDB might cut off`, async () => {
    execFileSync('gzip', ['-t'], {input: bytes});
    await using site = await packedSite(bytes);
    assert.match((await site.build()).err, /deny-list\.csv\.gz has several gzip members or optional header fields$/m);
  });
}
