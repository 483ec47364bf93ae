import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import type {Catalogue} from '../../shared/shapes.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {freezeFixture} from '../scripts/freeze-fixture.ts';

const LICENSE = {name: 'ODbL-1.0', title: 'Open Database License', path: 'https://opendatacommons.org/licenses/odbl/'};
const FROM = [{title: 'The registry', path: 'https://registry.example/', email: 'someone@registry.example'}];

test('title, description, licence and source of a list are on the page, in the catalogue and in JSON-LD', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const descriptor = {title: 'Denied hosts', description: 'Hosts <that> failed.', licenses: [LICENSE], sources: FROM};
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA, descriptor});
  assert.equal((await site.build()).err, '');
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
  const [{title, path}] = FROM as [(typeof FROM)[number]];
  assert.deepEqual(products[0]?.sources, [{name: 'deny-list', ...descriptor, sources: [{title, path}]}]);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  for (const part of [
    'Denied hosts',
    'Hosts &lt;that&gt; failed.',
    `<a href="${LICENSE.path}">${LICENSE.title}</a>`,
    `<a href="${path}">${title}</a>`,
  ])
    assert.ok(page.includes(part), part);
  const [, linked = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
  const {license, isBasedOn} = JSON.parse(linked) as {license: string; isBasedOn: object[]};
  assert.equal(license, LICENSE.path);
  assert.deepEqual(isBasedOn, [
    {
      '@type': 'Dataset',
      name: 'Denied hosts',
      description: 'Hosts <that> failed.',
      license: LICENSE.path,
      creditText: 'The registry',
    },
  ]);
});

test('title, description, licence and attribution from the options of freeze are in all of them', async () => {
  await using fixture = await freezeFixture();
  const {site} = fixture;
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const list = await fixture.list('deny-list.csv', DENY_CSV);
  const words = ['--title', 'Denied hosts', '--description', 'Hosts that failed.', '--license', 'CC0-1.0'];
  const attribution = ['--attribution', 'The registry, https://registry.example/'];
  await fixture.freeze('deny-list', list, '--as-of', '2026-05-01', ...words, ...attribution);
  await fixture.freeze('deny-list', list, '--as-of', '2026-06-01');
  assert.equal((await site.build()).err, '');
  const address = 'https://spdx.org/licenses/CC0-1.0.html';
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
  assert.deepEqual(products[0]?.sources, [
    {
      name: 'deny-list',
      title: 'Denied hosts',
      description: 'Hosts that failed.',
      licenses: [{name: 'CC0-1.0', path: address}],
      sources: [{title: 'The registry', path: 'https://registry.example/'}],
    },
  ]);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  for (const part of [
    'Denied hosts',
    'Hosts that failed.',
    `<a href="${address}">CC0-1.0</a>`,
    '<a href="https://registry.example/">The registry</a>',
  ])
    assert.ok(page.includes(part), part);
  const [, linked = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
  const {license, isBasedOn} = JSON.parse(linked) as {license: string; isBasedOn: object[]};
  assert.equal(license, address);
  const origin = {description: 'Hosts that failed.', license: address, creditText: 'The registry'};
  assert.deepEqual(isBasedOn, [{'@type': 'Dataset', name: 'Denied hosts', ...origin}]);
  const openapi = JSON.stringify(await readJson(site.root, 'public/openapi.json'));
  assert.ok(
    openapi.includes('Source: Denied hosts, Hosts that failed (licence: CC0-1.0; from: The registry).'),
    openapi,
  );
});

test('a licence without an address is a named work in JSON-LD', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const descriptor = {licenses: [{name: 'Licence of the registry'}]};
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA, descriptor});
  assert.equal((await site.build()).err, '');
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  assert.ok(page.includes('"license":{"@type":"CreativeWork","name":"Licence of the registry"}'));
});

test('a list without metadata is named, and an address that is not of the web is not a link', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const files = {'deny-list.csv': DENY_CSV};
  await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA});
  assert.equal((await site.build()).err, '');
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
  assert.equal(products[0]?.sources, undefined);
  const descriptor = {licenses: [{name: 'mine', path: 'javascript:alert(1)'}]};
  await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA, descriptor});
  assert.equal((await site.build()).err, '');
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  assert.ok(page.includes('Licence: mine'));
  assert.ok(!page.includes('href="javascript:'));
});
