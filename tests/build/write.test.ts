import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readFile, rm, truncate, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {JOURNAL} from '../../build/write/changes.ts';
import {FROZEN} from '../project.ts';
import {CLASS_SHARE, DENY_SCHEMA, denySite, SITE} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const PAID = 'public/api/v1/softfail3';
const CATALOGUE = 'public/api/v1/index.json';

test('a changed price changes only the rule, the hosts and the documents', async () => {
  await using site = await denySite();
  await site.build();
  const before = await readOutput(site.root);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.04'});
  assert.equal((await site.build('--check')).code, 1);
  assert.deepEqual(await readOutput(site.root), before, '--check writes nothing');
  assert.equal((await site.build()).code, 0);
  const after = await readOutput(site.root);
  const changed = Object.keys(after).filter(path => after[path] !== before[path]);
  assert.deepEqual(changed.filter(path => /^(paywall|public\/api)\//.test(path)).toSorted(), [
    'paywall/rules/aws.template.json',
    'paywall/rules/rules.json',
    CATALOGUE,
    'public/api/v1/samples/softfail3.json',
  ]);
  assert.deepEqual(changed.filter(path => !/^(paywall|public\/api)\//.test(path)).toSorted(), [
    'public/index.html',
    'public/llms.txt',
    'public/openapi.json',
    'public/products/softfail3.html',
  ]);
});

test('unchanged files are not written again', async () => {
  await using site = await denySite();
  await site.build();
  const inode = async () => (await stat(join(site.root, PAID), {bigint: true})).ino;
  const before = await inode();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.04'});
  await site.build();
  assert.equal(await inode(), before);
});

test('files of a removed product are removed, and other files are not', async () => {
  await using site = await denySite();
  await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'});
  await site.build();
  const mine = ['public/CNAME', 'public/api/v1/theirs', 'public/api/v1/samples/theirs.json', 'paywall/rules/notes.txt'];
  for (const path of mine) await site.write(path, 'by hand');
  await rm(join(site.root, 'data/products/other.json'));
  const {out} = await site.build('--json');
  const {changes} = JSON.parse(out) as {changes: {removed: string[]}};
  assert.deepEqual(changes.removed, [
    'public/api/v1/history/other.json',
    'public/api/v1/other',
    'public/api/v1/samples/other.json',
    'public/api/v1/schemas/other.json',
    'public/api/v1/schemas/other.sample.json',
    'public/products/other.html',
  ]);
  assert.ok(changes.removed.every(path => !existsSync(join(site.root, path))));
  for (const path of mine) assert.equal(await readFile(join(site.root, path), 'utf8'), 'by hand');
});

test('a pipe in place of a file of the publisher does not block the build', async () => {
  for (const file of ['data/site.json', 'data/products/soft-fail-3.json']) {
    await using site = await denySite();
    await rm(join(site.root, file));
    execFileSync('mkfifo', [join(site.root, file)]);
    assert.equal((await site.build()).err, `${file} is not a regular file\n`);
  }
});

test('a missing catalogue or missing rules are written again, also if other files change', async () => {
  for (const [gone, price] of [
    [CATALOGUE, '$0.03'],
    ['paywall/rules/rules.json', '$0.04'],
  ] as const) {
    await using site = await denySite();
    await site.build();
    await rm(join(site.root, gone));
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price});
    assert.equal((await site.build()).err, '');
    assert.equal((await site.build('--check')).code, 0);
  }
});

test('after a killed build, which removes the catalogue, a file that no build wrote is not replaced', async () => {
  await using site = await denySite();
  await site.build();
  const built = Object.keys(await readOutput(site.root));
  await rm(join(site.root, CATALOGUE));
  await site.write(JOURNAL, built);
  await site.write('public/api/v1/other', 'by hand');
  await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'});
  assert.equal((await site.build()).err, 'public/api/v1/other exists, and no build wrote it\n');
  assert.equal(await readFile(join(site.root, 'public/api/v1/other'), 'utf8'), 'by hand');
  await rm(join(site.root, 'public/api/v1/other'));
  assert.equal((await site.build()).err, '');
  assert.equal((await site.build('--check')).code, 0);
});

test('an edited catalogue cannot cause the removal of files outside public/', async () => {
  await using site = await denySite();
  await site.build();
  const catalogue = await readJson(site.root, CATALOGUE);
  const files = ['/../data/site.json', '/api/../../data/site.json', '//etc/passwd', '/./x'].map(path => ({path}));
  await site.write(CATALOGUE, {...catalogue, files, more: 'https://test.example/../data/site.json'});
  assert.equal((await site.build()).code, 0);
  assert.ok(existsSync(join(site.root, 'data/site.json')));
});

test('damaged or missing output is repaired', async () => {
  await using site = await denySite();
  await site.build();
  const good = await readOutput(site.root);
  await writeFile(join(site.root, PAID), 'damaged');
  await writeFile(join(site.root, CATALOGUE), '{"half": ');
  await rm(join(site.root, 'public/api/v1/samples/softfail3.json'));
  // Longer than the chunk that Node reads at a time.
  await truncate(join(site.root, 'public/404.html'), 2 ** 31);
  assert.equal((await site.build('--check')).code, 1);
  assert.equal((await site.build()).code, 0);
  assert.deepEqual(await readOutput(site.root), good);
});

test('a folder that is a link out of the root is refused', async () => {
  await using site = await denySite();
  await using elsewhere = await denySite();
  await mkdir(join(site.root, 'public'));
  await symlink(join(elsewhere.root, 'data'), join(site.root, 'public/api'));
  const {code, err} = await site.build();
  assert.equal(code, 1);
  assert.match(err, /^public\/api is a link to .*: the output must be in the root$/m);
  assert.equal(existsSync(join(elsewhere.root, 'data/v1')), false);
});

test('a title that looks like an address does not replace files that no build wrote', async () => {
  await using site = await denySite();
  await site.write('data/site.json', {...SITE, title: '/mine.txt'});
  await site.build();
  await site.write('public/mine.txt', 'mine');
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'});
  assert.equal((await site.build()).err, '');
  assert.equal(await readFile(join(site.root, 'public/mine.txt'), 'utf8'), 'mine');
});

test('a later freeze may have an additional class, and the history shows each freeze unchanged', async () => {
  await using site = await denySite();
  const [url, classes] = DENY_SCHEMA.fields;
  const wider = {
    name: 'class',
    type: 'string',
    constraints: {required: true, enum: [...(classes?.constraints?.enum ?? []), 'spam']},
  };
  const csv = 'url,class\nhttps://a.example/,spam\nhttps://b.example/,soft_fail\n';
  await site.freeze({
    source: 'deny-list',
    date: '2026-06-01',
    files: {'list.csv': csv},
    schema: {fields: [url, wider], primaryKey: ['url']},
  });
  await site.write('data/products/spam.json', {...CLASS_SHARE, title: 'Spam Share', class: 'spam'});
  assert.equal((await site.build()).err, '');
  const points = async (name: string) =>
    (await readJson(site.root, `public/api/v1/history/${name}.json`))['points'] as Record<string, unknown>[];
  const [before, after] = await points('softfail3');
  assert.deepEqual([Object.keys(before?.['counts'] ?? {}).length, Object.keys(after?.['counts'] ?? {}).length], [5, 6]);
  assert.deepEqual(
    (await points('spamshare')).map(point => point['as_of']),
    ['2026-06-01T12:00:00.000Z'],
    'the first freeze knows no spam',
  );
});

test('a file that cannot be read is reported in one line', async () => {
  await using site = await denySite();
  await site.build();
  await rm(join(site.root, PAID));
  await symlink('softfail3', join(site.root, PAID));
  const {code, err} = await site.build();
  assert.deepEqual([code, err], [1, `${PAID} cannot be read (ELOOP)\n`]);
});

test('a disk without space for a single byte is reported in one line, and the output does not change', async () => {
  await using site = await denySite();
  await site.build();
  const before = await readOutput(site.root);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.04'});
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', process.execPath, FROZEN, 'build'];
  const {status, stderr} = spawnSync('sh', [...limited, '--root', site.root], {encoding: 'utf8'});
  assert.match(stderr, /^public cannot be written \(EFBIG\)\. \[FZ401\]\nFZ401: [^\n]+\n$/);
  assert.equal(status, 1);
  assert.deepEqual(await readOutput(site.root), before);
});
