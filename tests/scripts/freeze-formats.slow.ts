import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {DuckDBInstance} from '@duckdb/node-api';
import {CLASS_SHARE, EVENT_BUNDLE, SAME_TIMESTAMPS} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {PROJECT} from '../project.ts';
import {freezeFixture} from './freeze-fixture.ts';

const ROWS = [
  ['https://a.example/', 'dead'],
  ['https://b.example/', 'soft_fail'],
  ['https://c.example/ü', 'fraud'],
  ['https://d.example/', 'soft_fail'],
] as const;
const csv = (rows: readonly (readonly string[])[], delimiter = ',') =>
  [['url', 'class'], ...rows].map(row => `${row.join(delimiter)}\n`).join('');
const objects = ROWS.map(([url, name]) => JSON.stringify({url, class: name}));
const ndjson = `${objects.join('\n')}\n`;
const json = `[\n${objects.join(',\n')}\n]\n`;

/** Writes the rows as Parquet with DuckDB. */
async function parquet(path: string, columns = '*'): Promise<string> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const values = ROWS.map(row => `(${row.map(value => `'${value}'`).join(', ')})`).join(', ');
  await connection.run(
    `COPY (SELECT ${columns} FROM (VALUES ${values}) AS rows(url, class)) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return path;
}

const FORMS: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  CSV: {'deny.csv': csv(ROWS)},
  'CSV with a byte order mark and CRLF': {'deny.csv': `\ufeff${csv(ROWS).replaceAll('\n', '\r\n')}`},
  'CSV with semicolons': {'deny.csv': csv(ROWS, ';')},
  'tab-separated values': {'deny.tsv': csv(ROWS, '\t')},
  'CSV with gzip': {'deny.csv.gz': gzipSync(csv(ROWS))},
  'several CSV files': {'deny-1.csv': csv(ROWS.slice(0, 1)), 'deny-2.csv': csv(ROWS.slice(1))},
  'several CSV files with gzip': {
    'deny-1.csv.gz': gzipSync(csv(ROWS.slice(0, 3))),
    'deny-2.csv.gz': gzipSync(csv(ROWS.slice(3))),
  },
  NDJSON: {'deny.ndjson': ndjson},
  'NDJSON called jsonl, with gzip': {'deny.jsonl.gz': gzipSync(ndjson)},
  JSON: {'deny.json': json},
  'JSON with gzip': {'deny.json.gz': gzipSync(json)},
};

describe('a list is frozen byte for byte and built from', {concurrency: 2}, () => {
  for (const [name, files] of Object.entries(FORMS)) {
    test(name, async () => {
      await using fixture = await freezeFixture();
      const paths: string[] = [];
      for (const [file, content] of Object.entries(files)) paths.push(await fixture.list(file, content));
      await freezesAndBuilds(fixture, paths);
    });
  }

  test('Parquet', async () => {
    await using fixture = await freezeFixture();
    await freezesAndBuilds(fixture, [await parquet(join(fixture.lists, 'deny.parquet'))]);
  });

  test('except Parquet with columns that rows cannot have, each of which it names', async () => {
    await using fixture = await freezeFixture();
    const path = await parquet(join(fixture.lists, 'deny.parquet'), '*, uuid() AS id, INTERVAL 1 DAY AS age');
    const {code, err} = await fixture.freeze('deny-list', path);
    assert.match(
      err,
      /^\S+deny\.parquet: column "id" "UUID" is not a type that rows can have: text, .+\n.+ column "age" "INTERVAL" is not .+\n$/,
    );
    assert.equal(code, 1);
  });
});

async function freezesAndBuilds(fixture: Awaited<ReturnType<typeof freezeFixture>>, paths: readonly string[]) {
  const {site} = fixture;
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const {code, err} = await fixture.freeze('deny-list', ...paths, '--as-of', '2026-05-01');
  assert.equal(err, '');
  assert.equal(code, 0);
  const hash = createHash('sha256');
  for (const path of paths) {
    const bytes = await readFile(path);
    hash.update(bytes);
    const kept = await readFile(join(site.root, 'data/sources/deny-list/2026-05-01', basename(path)));
    assert.ok(bytes.equals(kept), path);
  }
  const {resources} = await fixture.descriptor('deny-list', '2026-05-01');
  assert.equal(resources[0].hash, `sha256:${hash.digest('hex')}`);
  assert.equal(resources[0].rows, 4);
  assert.deepEqual(resources[0].schema?.primaryKey, ['url']);
  assert.deepEqual(resources[0].schema.fields[1]?.constraints?.enum, ['dead', 'fraud', 'soft_fail']);
  const built = await site.build();
  assert.equal(built.err, '');
  const sample = await readJson(site.root, 'public/api/v1/samples/softfail3.json');
  assert.equal(sample['rows_n'], 4);
  assert.equal(sample['soft_fail_n'], 2);
  assert.deepEqual(
    (sample['examples'] as {url: string}[]).map(({url}) => url),
    ['https://b.example/', 'https://d.example/'],
  );
}

test('a plain file with the name of a gzip file is refused with the remedy', async () => {
  await using fixture = await freezeFixture();
  const {code, err, remedies} = await fixture.freeze('list', await fixture.list('a.csv.gz', csv(ROWS)));
  assert.equal(code, 1);
  assert.match(err, /a\.csv\.gz is not gzip: incorrect header check$/m);
  assert.equal(remedies, 'FZ104: If it is not compressed, remove `.gz` from its name, and freeze it again.');
});

test('the two real lists are frozen and built from', async () => {
  await using fixture = await freezeFixture();
  const {site} = fixture;
  const status = await fixture.freeze('pep-status', join(PROJECT, 'tests/lists/pep-status.csv'));
  const verified = await fixture.freeze('pep-verified', join(PROJECT, 'tests/lists/pep-verified.csv'));
  assert.equal(status.err + verified.err, '');
  await site.write('data/products/rejected.json', {
    ...CLASS_SHARE,
    title: 'Rejected Share',
    source: 'pep-status',
    class: 'rejected',
  });
  await site.write('data/products/same.json', {...SAME_TIMESTAMPS, title: 'Same', source: 'pep-verified'});
  assert.equal((await site.build()).err, '');
  const rejected = await readJson(site.root, 'public/api/v1/samples/rejectedshare.json');
  assert.deepEqual([rejected['rows_n'], rejected['rejected_n']], [736, 131]);
  const same = await readJson(site.root, 'public/api/v1/samples/same.json');
  assert.deepEqual([same['total'], same['first_eq_last_n']], [736, 6]);
});

test('events are frozen without a schema and built from', async () => {
  await using fixture = await freezeFixture();
  const event = (sku: string) => ({type: 'payment_required', payload: {sku, http_status: 402, settle_success: false}});
  const events = await fixture.list('events.json', JSON.stringify([event('a'), event('webhookbundle')]));
  const {code, out} = await fixture.freeze('webhook-events', events, '--as-of', '2026-05-01');
  assert.equal(code, 0);
  assert.match(out, /2 events/);
  const {resources} = await fixture.descriptor('webhook-events', '2026-05-01');
  assert.deepEqual([resources[0].rows, resources[0].schema], [2, undefined]);
  await fixture.site.write('data/products/webhook-bundle.json', EVENT_BUNDLE);
  assert.equal((await fixture.site.build()).err, '');

  const settled = {...event('a'), payload: {sku: 'a', http_status: 402, settle_success: true}};
  const fake = await fixture.list('fake.json', JSON.stringify([settled]));
  const refused = await fixture.freeze('webhook-events', fake, '--as-of', '2026-05-03');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /fake\.json:1: \[0\]\.payload\.settle_success true is not false/);
});
