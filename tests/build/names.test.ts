import assert from 'node:assert/strict';
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CLASS_SHARE, denySite, SITE} from './site-fixture.ts';
import {readJson} from './tree.ts';

test('a title can be corrected under the published name', async () => {
  await using site = await denySite();
  await site.build();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail Three', name: 'softfail3'});
  assert.equal((await site.build()).err, '');
  const {next, title} = await readJson(site.root, 'public/api/v1/samples/softfail3.json');
  assert.equal(title, 'Soft Fail Three Sample');
  assert.deepEqual(next, {
    name: 'softfail3',
    title: 'Soft Fail Three',
    price: '$0.02',
    method: 'GET',
    url: 'https://test.example/api/v1/softfail3',
  });
  const {products} = await readJson(site.root, 'public/api/v1/index.json');
  assert.deepEqual(
    (products as {name: string; title: string}[]).map(({name, title}) => [name, title]),
    [['softfail3', 'Soft Fail Three']],
  );
});

test('products are everywhere in their declared order, and products without one follow by name', async () => {
  await using site = await denySite();
  const product = (title: string, order?: number) =>
    site.write(`data/products/${title.toLowerCase()}.json`, {...CLASS_SHARE, title, order});
  await product('Zebra', 1);
  await product('Beta', 2);
  await product('Alpha', 2);
  await product('Yak', 0);
  await product('Cow');
  assert.equal((await site.build()).err, '');
  const expected = ['yak', 'zebra', 'alpha', 'beta', 'cow', 'softfail3'];
  const namesIn = (items: unknown) => (items as {name: string}[]).map(({name}) => name);
  assert.deepEqual(namesIn((await readJson(site.root, 'public/api/v1/index.json'))['products']), expected);
  assert.deepEqual(namesIn((await readJson(site.root, 'paywall/rules/rules.json'))['rules']), expected);
  for (const [file, pattern] of [
    ['index.html', /<h2><a href="\/products\/([a-z0-9]+)\.html"/g],
    ['llms.txt', /\]\(https:\/\/test\.example\/api\/v1\/([a-z0-9]+)\):/g],
    ['feed.xml', /#as_of=[^<]*<\/id>|api\/v1\/([a-z0-9]+)#as_of/g],
    ['openapi.json', /"\/api\/v1\/([a-z0-9]+)": /g],
  ] as const) {
    const text = await readFile(join(site.root, 'public', file), 'utf8');
    const found = [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
    assert.deepEqual(found, expected, file);
  }
});

test('a title with too long a file name is refused with its field, and nothing is written', async () => {
  await using site = await denySite();
  // A title has at most 80 characters, and some letters become several.
  const title = 'Щ'.repeat(80);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title});
  const {err, remedies} = await site.build();
  assert.match(
    err,
    /^data\/products\/soft-fail-3\.json:2: title ".* gives the name "\w+", which has \d{3} characters, and the files of a product are named after it\n$/,
  );
  assert.match(remedies ?? '', /: Set a "name" of at most 80 characters\.$/);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title, name: 'a'.repeat(80)});
  assert.equal((await site.build()).err, '');
});

test('a title without a Latin letter or digit is refused, and the remedy is to set a name', async () => {
  await using site = await denySite();
  const product = {...CLASS_SHARE, title: '拒绝列表'};
  await site.write('data/products/soft-fail-3.json', product);
  const {err, remedies} = await site.build();
  assert.match(err, /title "拒绝列表" gives the name "", which is empty\n$/);
  assert.equal(remedies, 'FZ205: Set a "name" of lower-case letters and digits.');
  await site.write('data/products/soft-fail-3.json', {...product, name: 'denied'});
  assert.equal((await site.build()).err, '');
});

test('a changed title of the site starts no other Worker, whose ledger would be empty', async () => {
  await using site = await denySite();
  const workerName = async () => (await readJson(site.root, 'paywall/rules/wrangler.jsonc'))['name'];
  await site.build();
  const previous = await workerName();
  await site.write('data/site.json', {...SITE, title: 'Another Title'});
  const refused = await site.build();
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /^data\/site\.json:2: title "Another Title" renames the Cloudflare Worker to "another-title", which would start with an empty ledger$/m,
  );
  assert.ok(refused.remedies?.includes(`: Set "worker": "${String(previous)}" to keep it. `), refused.remedies);
  assert.equal(await workerName(), previous);
  await site.write('data/site.json', {...SITE, title: 'Another Title', worker: previous});
  assert.equal((await site.build()).err, '');
  assert.equal(await workerName(), previous);
  await site.write('data/site.json', {...SITE, worker: 'other'});
  assert.match((await site.build('--check')).err, /worker "other" renames the Cloudflare Worker to "other"/);
  await rm(join(site.root, 'paywall/rules/wrangler.jsonc'));
  assert.equal((await site.build()).err, '');
  assert.equal(await workerName(), 'other');
  await site.write('data/site.json', {...SITE, worker: 'No Name'});
  assert.match((await site.build()).err, /worker "No Name" is not the name of a Cloudflare Worker: lower-case letters/);
});
