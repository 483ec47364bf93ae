import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {blocks, oddGzips} from './gzip-members.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

const QUERY = {
  ...{title: 'Dead Share', kind: 'query', price: '$0.05', source: 'deny-list', examples: 1},
  figures: 'SELECT count(*) AS rows_n FROM rows',
  rows: "SELECT url, class FROM rows WHERE class = 'dead' ORDER BY url",
  difference: 'lists the dead addresses',
};

for (const [name, bytes] of Object.entries(oddGzips(DENY_CSV))) {
  test(`the build reads gzip with ${name}`, async () => {
    execFileSync('gzip', ['-t'], {input: bytes});
    await using site = await emptySite();
    await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
    await site.freeze({source: 'deny-list', files: {'deny-list.csv.gz': bytes}, schema: DENY_SCHEMA});
    assert.equal((await site.build()).err, '');
    const sample = await readJson(site.root, 'public/api/v1/samples/softfail3.json');
    assert.deepEqual([sample['rows_n'], sample['soft_fail_n']], [4, 2]);
  });
}

test('queries also read such gzip, and no decompressed file remains', async t => {
  // A separate folder, because other tests have scratch folders at the same time.
  const [previous, scratch] = [process.env['TMPDIR'], mkdtempSync(join(tmpdir(), 'gzip-'))];
  t.after(() => {
    if (previous === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = previous;
    rmSync(scratch, {recursive: true});
  });
  await using site = await emptySite();
  process.env['TMPDIR'] = scratch;
  await site.write('data/products/dead.json', QUERY);
  const files = {'deny-list.csv.gz': oddGzips(DENY_CSV)['all of them'] ?? ''};
  await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA});
  assert.equal((await site.build()).err, '');
  assert.equal((await readJson(site.root, 'public/api/v1/samples/deadshare.json'))['rows_n'], 4);
  assert.deepEqual(readdirSync(scratch), []);
});

test('no row is lost at the end of a member, for every chunk size', async () => {
  await using site = await emptySite();
  const rows = Array.from({length: 20_000}, (_, n) => `https://h${n}.example/,${n % 4 ? 'dead' : 'soft_fail'}\n`);
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const bytes = blocks(`url,class\n${rows.join('')}`, 101);
  await site.freeze({source: 'deny-list', files: {'deny-list.csv.gz': bytes}, schema: DENY_SCHEMA});
  assert.equal((await site.build()).err, '');
  const sample = await readJson(site.root, 'public/api/v1/samples/softfail3.json');
  assert.deepEqual([sample['rows_n'], sample['soft_fail_n']], [20_000, 5000]);
});

test('an error in a row of such gzip names its file and line', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const bytes = oddGzips(`${DENY_CSV}https://e.example/,ded\nhttps://f.example/,dead,x\n`)['many members'] ?? '';
  await site.freeze({source: 'deny-list', files: {'deny-list.csv.gz': bytes}, schema: DENY_SCHEMA});
  const {err} = await site.build();
  assert.match(err, /^data\/sources\/deny-list\/2026-05-01\/deny-list\.csv\.gz:6: class "ded" is not one of /m);
  assert.match(err, /^data\/sources\/deny-list\/2026-05-01\/deny-list\.csv\.gz:7: row .* has too many values$/m);
});
