import assert from 'node:assert/strict';
import {readFileSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {sha256} from '../../shared/digest.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {denySite, DENY_CSV, DENY_SCHEMA, type SiteFixture} from '../build/site-fixture.ts';
import {Authority} from './authority.ts';

const FREEZE = 'data/sources/deny-list/2026-05-01';

const read = ({root}: SiteFixture, path: string) => readFileSync(join(root, path));
const descriptorOf = (site: SiteFixture) => read(site, `${FREEZE}/datapackage.json`);
const catalogueOf = (site: SiteFixture) => JSON.parse(read(site, 'public/api/v1/index.json').toString()) as Catalogue;

const transaction = (digest: string) => ({
  network: 'eip155:84532',
  transaction: `0x${'ab'.repeat(32)}`,
  block: 7,
  digest,
});

test('a build publishes the proofs in the folders of freezes, and the catalogue lists them', async () => {
  await using site = await denySite();
  using authority = new Authority();
  assert.equal((await site.build()).code, 0);
  const before = read(site, 'public/api/v1/index.json');
  assert.equal('sources' in catalogueOf(site), false);

  const digest = sha256(descriptorOf(site));
  const stamp = authority.stamp(descriptorOf(site));
  await site.write(`${FREEZE}/witness/tsa.example.tsr`, stamp);
  await site.write(`${FREEZE}/witness/eip155-84532.json`, transaction(digest));
  assert.deepEqual({...(await site.build()), out: ''}, {code: 0, out: '', err: ''});
  const {sources, files} = catalogueOf(site);
  const published = (kind: string, name: string, bytes: Buffer) => ({
    kind,
    url: `https://test.example/witness/deny-list.2026-05-01.${name}`,
    sha256: sha256(bytes),
    bytes: bytes.length,
  });
  const proofs = [
    published('transaction', 'eip155-84532.json', read(site, `${FREEZE}/witness/eip155-84532.json`)),
    published('rfc3161', 'tsa.example.tsr', stamp),
  ];
  const as_of = '2026-05-01T12:00:00.000Z';
  assert.deepEqual(sources, [{name: 'deny-list', freezes: [{date: '2026-05-01', as_of, descriptor: digest, proofs}]}]);
  assert.deepEqual(
    files.filter(({path}) => path.startsWith('/witness/')).map(({path, type}) => [path.slice(-4), type]),
    [
      ['json', 'application/json; charset=utf-8'],
      ['.tsr', 'application/timestamp-reply'],
    ],
  );
  assert.deepEqual(read(site, 'public/witness/deny-list.2026-05-01.tsa.example.tsr'), stamp);
  assert.match(
    read(site, 'public/_headers').toString(),
    /^\/witness\/\*\.tsr\n {2}Content-Type: application\/timestamp-reply$/m,
  );

  // A build remembers its inputs, and notices that a proof was replaced.
  const again = authority.stamp(descriptorOf(site));
  await site.write(`${FREEZE}/witness/tsa.example.tsr`, again);
  await site.build();
  assert.deepEqual(read(site, 'public/witness/deny-list.2026-05-01.tsa.example.tsr'), again);

  rmSync(join(site.root, FREEZE, 'witness'), {recursive: true});
  await site.build();
  assert.deepEqual(read(site, 'public/api/v1/index.json'), before);
});

test('a build refuses files that are not a proof of their freeze, with one line each', async () => {
  await using site = await denySite();
  using authority = new Authority();
  const future = {descriptor: {as_of: '2199-05-01T12:00:00.000Z', created: '2199-05-01T00:00:00Z'}};
  await site.freeze({
    source: 'deny-list',
    date: '2199-05-01',
    files: {'deny-list.csv': DENY_CSV},
    schema: DENY_SCHEMA,
    ...future,
  });
  const late = 'data/sources/deny-list/2199-05-01';
  const digest = sha256(descriptorOf(site));
  const bad: readonly (readonly [file: string, content: string | Uint8Array | object, words: RegExp])[] = [
    [`${FREEZE}/witness/a.tsr`, authority.stamp('another'), / is over [0-9a-f]{64}, not over datapackage.json, whose/],
    [`${FREEZE}/witness/b.tsr`, 'no stamp', / is not an answer of a timestamp authority \(RFC 3161\): /],
    [`${FREEZE}/witness/c.json`, transaction('00'.repeat(32)), / is over 0{64}, not over datapackage.json, whose/],
    [`${FREEZE}/witness/d.json`, {...transaction(digest), block: '7'}, /:4: block "7" is not the number of a block/],
    [`${FREEZE}/witness/e.json`, '{"network": 1, "network": 2}', /:1: network /],
    [
      `${FREEZE}/witness/F.tsr`,
      authority.stamp(descriptorOf(site)),
      / is not a proof: the name of a proof has lower-case/,
    ],
    [`${FREEZE}/witness/notes.txt`, 'x', / is not a proof: the name of a proof has lower-case/],
    [`${FREEZE}/witness/nul.tsr`, 'x', / is a name that Windows reserves/],
    [`${FREEZE}/witness/g.tsr/h`, 'x', / is a folder, not a file/],
    [
      `${late}/witness/a.tsr`,
      authority.stamp(read(site, `${late}/datapackage.json`)),
      / is of .*, older than its freeze/,
    ],
  ];
  for (const [file, content] of bad) await site.write(file, content);
  const {code, err} = await site.build();
  assert.equal(code, 1);
  for (const [file, , words] of bad) {
    const lines = err.split('\n').filter(line => line.startsWith(file.replace('/h', '')));
    assert.ok(lines.length > 0 && lines.every(line => words.test(line)), `${file}: ${lines.join('\n')}`);
  }
});

test('a build refuses a link to a folder of proofs, and a file in place of the folder', async () => {
  await using site = await denySite();
  const words = /^data\/.*\/2026-05-01\/witness is not a folder, and proofs are in a folder of this name\n$/;
  symlinkSync(tmpdir(), join(site.root, FREEZE, 'witness'));
  assert.match((await site.build()).err, words);
  rmSync(join(site.root, FREEZE, 'witness'));
  await site.write(`${FREEZE}/witness`, 'x');
  assert.match((await site.build()).err, words);
});

test('a build ignores hidden files and data of the freeze in its folder witness/', async () => {
  await using site = await denySite();
  await site.write(`${FREEZE}/witness/.DS_Store`, 'x');
  await site.freeze({source: 'deny-list', files: {'witness/deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  assert.deepEqual({...(await site.build()), out: ''}, {code: 0, out: '', err: ''});
  assert.equal('sources' in catalogueOf(site), false);
});
