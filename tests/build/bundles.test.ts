import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {build} from '../../build/build.ts';
import {DOCUMENTS} from '../../build/documents/catalogue.ts';
import type {ProductRecord} from '../../build/documents/record.ts';
import bundleKind from '../../build/kinds/bundle.ts';
import type {Bundle} from '../../build/products/source-groups.ts';
import {composeBundles} from '../../build/site/bundles.ts';
import type {Output} from '../../build/write/stage.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {AWS_TEMPLATE, RULES_FILE} from '../../shared/paths.ts';
import type {Catalogue, Rules} from '../../shared/shapes.ts';
import type {Site} from '../../build/read/site.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, denySite, EVENT_BUNDLE, SITE, type SiteFixture} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const SET = {
  title: 'Deny Set',
  kind: 'bundle',
  price: '$0.05',
  bundle: ['softfail3', 'deadshare'],
  difference: 'sells two documents in one',
};
const FILE = 'data/products/deny-set.json';
const PAID = 'public/api/v1/denyset';

/** A site that sells two shares of four rows, and a bundle of both. */
async function bundleSite(members: object = {}): Promise<SiteFixture> {
  const site = await denySite();
  await site.write('data/site.json', {...SITE, hosts: ['cloudflare']});
  await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead Share', class: 'dead', price: '$0.04'});
  await site.write(FILE, {...SET, ...members});
  return site;
}

const bytesOf = (site: SiteFixture, path: string) => readFile(join(site.root, path));
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Member {
  readonly name: string;
  readonly sha256: string;
  readonly document: object;
}

test('the pages of a bundle do not compare the number of its documents', async () => {
  await using site = await bundleSite();
  for (const day of ['02', '03'])
    await site.freeze({
      ...{source: 'deny-list', date: `2026-05-${day}`},
      ...{files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA},
    });
  assert.equal((await site.build()).err, '');
  const page = await readFile(join(site.root, 'public/products/denyset.html'), 'utf8');
  assert.doesNotMatch(page, /Changes by snapshot|<h2>Other figures/);
  const index = await readFile(join(site.root, 'public/index.html'), 'utf8');
  const card = index.slice(index.indexOf('products/denyset.html')).split('</li> ', 1)[0] ?? '';
  assert.match(card, /<p class="headline">2 documents<\/p>/);
  assert.doesNotMatch(card, /unchanged|<li>2 documents/i);
});

test('a bundle contains documents as they are sold separately, in their order, each with the same digest', async () => {
  await using site = await bundleSite();
  assert.equal((await site.build()).err, '');
  const {documents_n, documents, as_of} = await readJson(site.root, PAID);
  assert.deepEqual([documents_n, as_of], [2, '2026-05-01T12:00:00.000Z']);
  const members = documents as Member[];
  assert.deepEqual(
    members.map(({name}) => name),
    SET.bundle,
  );
  for (const {name, sha256: named, document} of members) {
    assert.equal(named, sha256(await bytesOf(site, `public/api/v1/${name}`)));
    assert.equal(named, sha256(`${JSON.stringify(document, null, 2)}\n`));
  }
  const forged = members.with(0, {...(members[0] as Member), as_of: '2026-05-02T12:00:00.000Z'} as Member);
  assert.deepEqual(bundleKind.disagreements({documents_n, documents: forged}), [
    'as_of of the document softfail3 differs inside the document',
  ]);
  const page = String(await bytesOf(site, 'public/products/denyset.html'));
  const [, table = ''] = page.split('<h2>Contents</h2>');
  assert.match(table, /^[^]*?<a href="\/products\/softfail3\.html">Soft Fail 3<\/a>[^]*?1 May 2026[^]*?\$0\.02/);
  assert.doesNotMatch(page, />(as_of|title|price)</);
  assert.ok(!page.includes('A pass') && !String(await bytesOf(site, 'public/llms.txt')).includes('a pass'));
  const sample = await readJson(site.root, 'public/api/v1/samples/denyset.json');
  assert.deepEqual(
    (sample['documents'] as Record<string, unknown>[]).map(({name, price}) => [name, price]),
    [
      ['softfail3', '$0.02'],
      ['deadshare', '$0.04'],
    ],
  );
  assert.match(
    (await readOutput(site.root))['public/products/denyset.html'] ?? '',
    /Soft Fail 3 and Dead Share: the complete documents in one\./,
  );
  const checks = await verifySite(site.root);
  assert.deepEqual(
    checks.filter(({state}) => state === 'failed'),
    [],
  );
});

test('a bundle changes only with its documents, also if a build has cached the others', async () => {
  await using site = await bundleSite();
  const home = join(site.root, '.build/cache');
  const built = async () => (await build({root: site.root, home})).changes;
  await built();
  const first = await bytesOf(site, PAID);
  assert.deepEqual((await built()).changed, []);
  await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Fraud Share', class: 'fraud'});
  await built();
  assert.deepEqual(await bytesOf(site, PAID), first);
  await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead Share', class: 'dead', examples: 1});
  await site.freeze({source: 'deny-list', date: '2026-06-01', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  assert.ok((await built()).changed.includes(PAID));
  const second = await bytesOf(site, PAID);
  await site.write(FILE, {...SET, bundle: ['deadshare', 'softfail3']});
  assert.ok((await built()).changed.includes(PAID));
  await site.write(FILE, SET);
  await built();
  assert.deepEqual(await bytesOf(site, PAID), second);
  await rm(home, {recursive: true});
  assert.deepEqual((await build({root: site.root, check: true})).changes.changed, []);
  await rm(join(site.root, FILE));
  assert.ok((await built()).removed.includes(PAID));
});

test('a check composes a bundle from documents that are not written yet', async () => {
  await using site = await bundleSite();
  await site.build();
  await site.freeze({source: 'deny-list', date: '2026-06-01', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  const {changes} = await build({root: site.root, check: true});
  assert.ok(changes.changed.includes(PAID), changes.changed.join());
});

test('a pass states how many snapshots it includes, and the rule lists the snapshots of its products', async () => {
  await using site = await bundleSite({bundle: ['softfail3'], next: 2});
  for (const month of ['06', '07', '08'])
    await site.freeze({
      source: 'deny-list',
      date: `2026-${month}-01`,
      files: {'deny-list.csv': DENY_CSV},
      schema: DENY_SCHEMA,
    });
  assert.equal((await site.build()).err, '');
  const {rules} = (await readJson(site.root, 'paywall/rules/rules.json')) as unknown as Rules;
  const as_of = ['05', '06', '07', '08'].map(month => `2026-${month}-01T12:00:00.000Z`);
  assert.deepEqual(rules.find(({name}) => name === 'denyset')?.pass, {next: 2});
  assert.deepEqual(rules.find(({name}) => name === 'denyset')?.snapshots, {softfail3: as_of});
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
  assert.deepEqual(products.find(({name}) => name === 'denyset')?.pass, {next: 2});
  const [page, llms] = await Promise.all(
    ['products/denyset.html', 'llms.txt'].map(async name => String(await bytesOf(site, `public/${name}`))),
  );
  assert.match(page ?? '', /\$0\.05<\/span> <span class="soft">for this snapshot and the next 2<\/span>/);
  assert.match(page ?? '', /Soft Fail 3: the complete document\. The figures/);
  assert.match(page ?? '', /<p class="headline">3 snapshots<\/p>/);
  assert.match(page ?? '', /A pass<\/dt>\s*<dd>Pay once\. Later snapshots have the same address/);
  assert.match(llms ?? '', /denyset\): \$0\.05 for this snapshot and the next 2, as of/);
  assert.match(llms ?? '', /pay once, then GET the same address/);
});

const refused: readonly (readonly [says: string, members: object, reported: RegExp])[] = [
  ['nothing', {bundle: []}, /bundle \[\] is an empty list/],
  ['a product twice', {bundle: ['softfail3', 'softfail3']}, /contains "softfail3" twice/],
  ['one product without next', {bundle: ['softfail3']}, /bundle "softfail3" is the only product of the bundle$/m],
  ['a product that is not there', {bundle: ['softfail3', 'gone']}, /bundle "gone" is not the name of a product/],
  ['itself', {bundle: ['softfail3', 'denyset']}, /bundle "denyset" is a bundle$/m],
  ['a source', {source: 'deny-list'}, /source .*is for products over a source/],
  ['no snapshot more', {next: 0}, /next 0 /],
];
for (const [says, members, reported] of refused)
  test(`a bundle of ${says} is refused`, async () => {
    await using site = await bundleSite(members);
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, reported);
    assert.match(err, /^data\/products\/deny-set\.json:\d+: /);
  });

test('a bundle that is too large for every host is refused before its documents are read', async () => {
  const product = {file: FILE, name: 'denyset'};
  const records = ['one', 'two'].map(name => ({
    ...{name, file: `data/products/${name}.json`, paidContent: {type: 'rows'}, editions: []},
    documents: Object.fromEntries(DOCUMENTS.map(document => [document, {bytes: 20 << 20}])),
  })) as unknown as ProductRecord[];
  const bundle = {product, names: ['one', 'two']} as unknown as Bundle;
  const composed = {root: '/nowhere', site: SITE as unknown as Site, records, groups: new Map()};
  await assert.rejects(
    composeBundles([bundle], composed, {} as Output),
    /bundle contains documents of 41943040 bytes, and hosts accept at most 26214400/,
  );
});

test('a pass cannot be sold on AWS, and a bundle of events can be in a bundle', async () => {
  await using site = await bundleSite({bundle: ['softfail3', 'webhookbundle']});
  await site.write('data/products/hooks.json', EVENT_BUNDLE);
  await site.freeze({
    source: 'webhook-events',
    files: {
      'events.json': JSON.stringify([
        {type: 'payment_required', payload: {sku: 'x', http_status: 402, settle_success: false}},
      ]),
    },
    format: 'json',
  });
  const {err} = await site.build();
  assert.equal(err, '');
  await site.write('data/site.json', {...SITE, hosts: ['aws', 'serve']});
  await site.write(FILE, {...SET, next: 1});
  const {code, err: refused} = await site.build();
  assert.equal(code, 1);
  assert.match(refused, /api\/v1\/denyset" is that of a pass, which AWS WAF cannot sell/);
  assert.match(refused, /^data\/site\.json:13: hosts may not contain aws, /m);
});

test('a first pass removes the rules for AWS of a site that names no hosts', async () => {
  for (const damage of [undefined, '<<<<<<< HEAD\n']) {
    await using site = await bundleSite();
    await site.write('data/site.json', SITE);
    assert.equal((await site.build()).code, 0);
    assert.ok(existsSync(join(site.root, AWS_TEMPLATE)));
    const {hosts: before} = (await readJson(site.root, RULES_FILE)) as unknown as Rules;
    assert.deepEqual(Object.keys(before), ['aws', 'cloudflare', 'github-pages', 'serve']);
    await site.write(FILE, {...SET, next: 1});
    if (damage) await site.write(RULES_FILE, damage);
    const {code, out, err} = await site.build();
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^no files are written for aws, which cannot sell this site: .*\/api\/v1\/denyset" is that of a pass, .*\. If you do not use aws, list your hosts/m,
    );
    assert.ok(!existsSync(join(site.root, AWS_TEMPLATE)));
    const {hosts} = (await readJson(site.root, RULES_FILE)) as unknown as Rules;
    assert.deepEqual(Object.keys(hosts), ['cloudflare', 'github-pages', 'serve']);
    assert.equal((await site.build('--check')).code, 0);
  }
});
