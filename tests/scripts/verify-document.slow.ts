import assert from 'node:assert/strict';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {EXAMPLE} from '../example/example.ts';
import {gateProcess} from './gate-process.ts';
import {runScript} from './script-run.ts';

const api = join(EXAMPLE, 'public/api/v1');

/** A buyer's folder with one document. */
async function bought(name: string, change: (text: string) => string = text => text) {
  const folder = await mkdtemp(join(tmpdir(), 'bought-'));
  const file = join(folder, `${name}.json`);
  await writeFile(file, change(await readFile(join(api, name), 'utf8')));
  return {folder, file, [Symbol.asyncDispose]: () => rm(folder, {recursive: true, force: true})};
}

test('a bought document is checked for its consistency', async () => {
  await using buyer = await bought('softfail3');
  const {code, out} = await runScript('verify', ['document', buyer.file]);
  assert.equal(code, 0, out);
  assert.match(out, /^✓ {2}figures +softfail3\.json +figures agree with one another$/m);
  assert.match(out, /^✓ {2}digest +softfail3\.json/m);
  assert.match(out, /^· {2}schema +softfail3\.json +not checked: its schema is not known$/m);
  assert.match(out, /^· {2}bytes +softfail3\.json +not checked: use --site/m);
});

test('a CSV or Parquet file without its site is refused, because nothing could be checked', async () => {
  await using buyer = await bought('softfail3');
  for (const ending of ['csv', 'parquet', 'CSV']) {
    const file = join(buyer.folder, `document.${ending}`);
    await writeFile(file, 'any text');
    const {code, out, err} = await runScript('verify', ['document', file]);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^--site is missing, and a CSV or Parquet file cannot be checked without it\n$/);
  }
});

test('its schema is read from the path in --schema', async () => {
  await using buyer = await bought('webhookbundle');
  await using gate = await gateProcess(EXAMPLE);
  const schemas = [join(api, 'schemas/webhookbundle.json'), `${gate.url}/api/v1/schemas/webhookbundle.json`];
  for (const schema of schemas) {
    const {code, out} = await runScript('verify', ['document', buyer.file, '--schema', schema]);
    assert.equal(code, 0, out);
    assert.match(out, /^✓ {2}schema +webhookbundle\.json +matches its JSON Schema$/m);
    assert.match(out, /^✓ {2}signatures +webhookbundle\.json/m);
  }
  const {code, err} = await runScript('verify', ['document', buyer.file, '--schema', `${gate.url}/api/v1/nowhere`]);
  assert.equal(code, 1);
  assert.match(err, /^http:[^\n]*answers 404 instead of a schema\n$/);
});

test('with its site, its digest is compared with the catalogue', async () => {
  await using gate = await gateProcess(EXAMPLE);
  await using buyer = await bought('firstlastsame');
  const fine = await runScript('verify', ['document', buyer.file, '--site', gate.url, '--data', join(EXAMPLE, 'data')]);
  assert.equal(fine.code, 0, fine.out);
  assert.match(
    fine.out,
    /^✓ {2}bytes +firstlastsame\.json +matches \/api\/v1\/firstlastsame in the catalogue of http:[^ ]*$/m,
  );
  assert.match(fine.out, /^✓ {2}frozen rows +\/api\/v1\/firstlastsame/m);
  await using other = await bought('firstlastsame', text => text.replace('\n', '\n '));
  const {code, out} = await runScript('verify', ['document', other.file, '--site', gate.url]);
  assert.equal(code, 1);
  assert.match(out, /^✗ {2}bytes +firstlastsame\.json +has \d+ bytes, not the/m);
  await using former = await bought('firstlastsame', text =>
    text.replace(/("as_of": ")[^"]*/, '$12026-01-01T00:00:00.000Z'),
  );
  assert.match(
    (await runScript('verify', ['document', former.file, '--site', gate.url])).out,
    /^✗ {2}bytes +firstlastsame\.json +is as of 2026-01-01T00:00:00\.000Z, and the catalogue lists only the snapshot as of 2026-05-01/m,
  );
});

const wrong: readonly (readonly [string, string, (text: string) => string, RegExp])[] = [
  [
    'a row that changed',
    'softfail3',
    text => text.replace(/"https:[^"]*"/, '"https://other.example/"'),
    /^✗ {2}digest /m,
  ],
  ['a figure that changed', 'softfail3', text => text.replace('"rows_n": ', '"rows_n": 9'), /^✗ {2}figures /m],
  [
    'a signature that changed',
    'webhookbundle',
    text => text.replace(/"sig": "..../, '"sig": "0000'),
    /^✗ {2}signatures /m,
  ],
  ['invalid JSON', 'softfail3', text => text.slice(0, -3), /^✗ {2}JSON /m],
  ['an empty object', 'softfail3', () => '{}', /has no product name or no `as_of`/],
  ['a file of another program', 'softfail3', () => '{"name": "softfail3", "version": "1.0.0"}', /or no `as_of`/],
];
for (const [says, name, change, line] of wrong) {
  test(`finds ${says}`, async () => {
    await using buyer = await bought(name, change);
    const {code, out, err} = await runScript('verify', ['document', buyer.file]);
    assert.equal(code, 1);
    assert.match(out + err, line);
  });
}

test('the schema of a document in a site folder is found there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tree-'));
  await cp(api, join(folder, 'v1'), {recursive: true});
  const {code, out} = await runScript('verify', ['document', join(folder, 'v1/samples/softfail3.json')]);
  await rm(folder, {recursive: true});
  assert.equal(code, 0, out);
  assert.match(out, /^✓ {2}schema +softfail3\.json +matches its JSON Schema$/m);
});
