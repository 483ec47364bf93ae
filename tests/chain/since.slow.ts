import assert from 'node:assert/strict';
import {cp, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {isFine} from '../../buyer/verify/check.ts';
import {sha256} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {paths} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {oneExaminer} from '../scripts/one-examiner.ts';
import {rawServer} from '../scripts/raw-server.ts';
import {runScript} from '../scripts/script-run.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, SITE} from '../build/site-fixture.ts';
import {REMEDIES} from '../../buyer/verify/since/rewrites.ts';
import {chainedSite, DATES, SOFT_PASS, type ChainedSite} from './chained-site.ts';

const [MARCH, APRIL, MAY, JUNE] = DATES;
const verifySite = oneExaminer();

/** Builds, saves the catalogue and the whole site under a name, and returns the path of the catalogue. */
async function kept(site: ChainedSite, name: string): Promise<string> {
  assert.equal((await site.build()).err, '');
  await cp(join(site.root, 'public'), join(site.root, name), {recursive: true});
  return join(site.root, name, 'api/v1/index.json');
}

/** Returns the failed checks of `verify --saved-catalogue`, and its exit code. */
async function since(target: string, catalogue: string) {
  const checks = await verifySite(target, catalogue);
  const all = checks.filter(({what}) => what === 'since');
  const failed = all.filter(({state}) => state === 'failed').map(({subject, detail}) => `${subject}: ${detail}`);
  return {code: isFine(checks) ? 0 : 1, all, failed};
}

test('verify --saved-catalogue reports rewritten documents, but not new ones', async () => {
  await using site = await chainedSite([MARCH, APRIL, MAY]);
  const may = await kept(site, 'may');
  await site.put(JUNE, MAY);
  const june = await kept(site, 'june');
  const news = await since(site.root, may);
  assert.deepEqual([news.code, news.failed], [0, []]);
  assert.deepEqual(
    news.all.map(({detail}) => detail),
    ['begins unchanged', 'nothing was rewritten of 1 product and 1 chain'],
  );

  // A rewritten history with a new title, and a rewritten sample with a new price.
  const file = join(site.root, 'public/api/v1/index.json');
  const catalogue = JSON.parse(await readFile(file, 'utf8')) as Catalogue;
  for (const [part, change] of [
    ['history', {title: 'Mended'}],
    ['sample', {price: '$0.03', usd: 0.03}],
  ] as const) {
    const path = join(site.root, 'public', paths[part]('softfail3'));
    const old = await readFile(path, 'utf8');
    const text = old.replace('"rows_n": ', '"rows_n": 9');
    const listed = {sha256: sha256(text), bytes: Buffer.byteLength(text)};
    const products = catalogue.products.map(entry => ({...entry, ...change, [part]: {...entry[part], ...listed}}));
    await writeFile(path, text);
    await writeFile(file, encode({...catalogue, products}));
    const {failed} = await since(site.root, june);
    assert.deepEqual(failed, [
      `${paths[part]('softfail3')}: the ${part} was rewritten: its content up to 2026-06-01T12:00:00.000Z changed: ${REMEDIES.changed}`,
    ]);
    await writeFile(path, old);
  }

  // A replaced freeze with its new digest, and new versions of all later freezes.
  await site.put(APRIL, MARCH, 'url,class\nhttps://new.example/,dead\n');
  await site.put(MAY, APRIL);
  await site.put(JUNE, MAY);
  assert.equal((await site.build()).err, '');
  const replaced = await since(site.root, june);
  assert.equal(replaced.code, 1);
  assert.match(
    replaced.failed.join('\n'),
    /^softfail3: the history of softfail3 changed under the same as_of, 2026-06-01T12:00:00\.000Z: .*\ndeny-list: the freezes of 2026-04-01, 2026-05-01 and 2026-06-01 of deny-list were changed: restore what was published, and publish a correction as a new freeze with a later as_of$/,
  );
  const earlier = await since(site.root, may);
  assert.deepEqual(earlier.failed, [
    'deny-list: the freezes of 2026-04-01 and 2026-05-01 of deny-list were changed: restore what was published, and publish a correction as a new freeze with a later as_of',
    `/api/v1/history/softfail3.json: the history was rewritten: its content up to 2026-05-01T12:00:00.000Z changed: ${REMEDIES.changed}`,
  ]);

  await site.put('2026-04-15', APRIL);
  await site.put(MAY, '2026-04-15');
  await site.put(JUNE, MAY);
  assert.equal((await site.build()).err, '');
  assert.match(
    (await since(site.root, june)).failed.join('\n'),
    /^deny-list: the freeze of 2026-04-15 of deny-list was inserted before 2026-06-01 after that freeze was published: remove it again; a list that was missed can be published as a new freeze with a later as_of$/m,
  );
});

test('verify reports a point of a history whose as_of is not that of a freeze', async () => {
  await using site = await chainedSite([MARCH, APRIL]);
  assert.equal((await site.build()).err, '');
  assert.ok(isFine(await verifySite(join(site.root, 'public'))));
  const [history, index] = ['api/v1/history/softfail3.json', 'api/v1/index.json'].map(file =>
    join(site.root, 'public', file),
  ) as [string, string];
  const [old, catalogue] = await Promise.all([history, index].map(file => readFile(file, 'utf8')));
  const text = String(old).replace('2026-03-01T', '2025-03-01T');
  await writeFile(history, text);
  await writeFile(index, String(catalogue).replace(sha256(String(old)), sha256(text)));
  const failed = (await verifySite(join(site.root, 'public'))).filter(({state}) => state === 'failed');
  assert.deepEqual(
    failed.map(({what, detail}) => `${what}: ${detail}`),
    ['history: has a point of 2025-03-01T12:00:00.000Z, and no freeze of deny-list has this as_of'],
  );
});

test('verify --saved-catalogue reports a live site with an earlier catalogue, and a file that is not a catalogue', async () => {
  await using site = await chainedSite([MARCH, APRIL]);
  await kept(site, 'april');
  await site.put(MAY, APRIL);
  const may = await kept(site, 'may');
  await using server = await rawServer((request, response) => {
    void readFile(join(site.root, 'april', request.url ?? '')).then(
      bytes => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  const {code, failed} = await since(server.url, may);
  assert.equal(code, 1);
  assert.deepEqual(failed, [
    'softfail3: softfail3 was reset from 2026-05-01T12:00:00.000Z to 2026-04-01T12:00:00.000Z: restore the later freezes and build again',
    'deny-list: the freeze of 2026-05-01 of deny-list was removed: the source was reset to 2026-04-01: restore the later freezes and build again',
  ]);
  const file = join(site.root, 'other.json');
  await writeFile(file, '{"version": "v1"}');
  const {code: refused, err} = await runScript('verify', ['site', site.root, '--saved-catalogue', file]);
  assert.equal(refused, 1);
  assert.match(err, /other\.json is not a catalogue: /);
  await rm(file);
  assert.match(
    (await runScript('verify', ['site', site.root, '--saved-catalogue', file])).err,
    /other\.json does not exist/,
  );
  const sample = join(site.root, 'public/api/v1/samples/softfail3.json');
  const {err: ofFile} = await runScript('verify', ['site', sample, '--saved-catalogue', may]);
  assert.match(ofFile, /softfail3\.json is a file, not the folder of a site/);
});

test('verify --saved-catalogue accepts other prices and addresses in a bundle, and reports every other change of it', async () => {
  await using site = await chainedSite([MARCH]);
  await site.write('data/products/soft-pass.json', SOFT_PASS);
  const before = await kept(site, 'before');
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'});
  const held = await kept(site, 'held');
  assert.deepEqual((await since(site.root, before)).failed, []);
  await site.write('data/products/soft-pass.json', {...SOFT_PASS, price: '$0.06'});
  const file = await kept(site, 'both');
  for (const catalogue of [before, held]) assert.deepEqual((await since(site.root, catalogue)).failed, []);
  await site.write('data/site.json', {...SITE, base_url: 'https://moved.example'});
  await kept(site, 'moved');
  assert.deepEqual((await since(site.root, before)).failed, []);
  const path = join(site.root, 'both', paths.sample('softpass'));
  const text = (await readFile(path, 'utf8')).replace('"documents_n": 1', '"documents_n": 2');
  await writeFile(path, text);
  const {products, ...rest} = JSON.parse(await readFile(file, 'utf8')) as Catalogue;
  const listed = {sha256: sha256(text), bytes: Buffer.byteLength(text)};
  const changed = products.map(entry =>
    entry.name === 'softpass' ? {...entry, sample: {...entry.sample, ...listed}} : entry,
  );
  await writeFile(file, encode({...rest, products: changed}));
  for (const catalogue of [before, held])
    assert.match(
      (await since(join(site.root, 'both'), catalogue)).failed.join(),
      /the sample was rewritten: its content up to 2026/,
    );
});

test('verify --saved-catalogue accepts a class that a freeze adds, and reports one that a freeze removes', async () => {
  await using site = await chainedSite([MARCH]);
  const before = await kept(site, 'before');
  const [url, kind] = DENY_SCHEMA.fields;
  const classes = kind?.constraints?.enum ?? [];
  const freezeWith = async (names: readonly string[]) => {
    await site.take(APRIL);
    await site.freeze({
      source: 'deny-list',
      date: APRIL,
      files: {'list.csv': DENY_CSV},
      schema: {...DENY_SCHEMA, fields: [url, {...kind, constraints: {required: true, enum: names}}]},
      descriptor: {previous: await site.digest(MARCH)},
    });
    assert.equal((await site.build()).err, '');
  };
  await freezeWith([...classes, 'withdrawn']);
  const added = await since(site.root, before);
  assert.deepEqual([added.code, added.failed], [0, []]);
  await freezeWith(classes.filter(name => name !== 'unable_verify'));
  const dropped = await since(site.root, before);
  assert.equal(dropped.code, 1);
  assert.deepEqual(dropped.failed, [
    `/api/v1/history/softfail3.json: counts.unable_verify is missing in the history at 2026-04-01T12:00:00.000Z, but v1 keeps its classes: ${REMEDIES.changed}`,
  ]);
});
