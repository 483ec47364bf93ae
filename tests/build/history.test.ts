import assert from 'node:assert/strict';
import {cp, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {EXAMPLE} from '../example/example.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

const DATES = ['2026-03-01', '2026-04-01', '2026-05-01'];

interface Point {
  readonly as_of: string;
  readonly rows_n: number;
  readonly soft_fail_n: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly age_hours: number;
}

/** Counts the figures of a freeze of the example independently: from the lines of its list, split at the comma. */
async function counted(date: string): Promise<Point> {
  const folder = join(EXAMPLE, 'data/sources/deny-list', date);
  const lines = (await readFile(join(folder, 'deny-list.csv'), 'utf8')).trim().split('\n').slice(1);
  const classes = lines.map(line => line.split(',')[1]);
  const count = (name: string) => classes.filter(one => one === name).length;
  const {created, as_of} = (await readJson(folder, 'datapackage.json')) as {created: string; as_of: string};
  const counts = {fraud: count('fraud'), dead: count('dead'), unable_verify: count('unable_verify')};
  return {
    as_of,
    rows_n: lines.length,
    soft_fail_n: count('soft_fail'),
    counts: {...counts, soft_fail: count('soft_fail'), total: lines.length},
    age_hours: Math.floor((Date.parse(as_of) - Date.parse(created)) / 3_600_000),
  };
}

function figures({as_of, rows_n, soft_fail_n, counts, age_hours}: Point): Point {
  return {as_of, rows_n, soft_fail_n, counts, age_hours};
}

test('a history has the figures of three freezes of the deny list, oldest first', async () => {
  const {name, title, points} = await readJson(EXAMPLE, 'public/api/v1/history/softfail3.json');
  assert.deepEqual([name, title], ['softfail3', 'Soft Fail 3']);
  const expected = await Promise.all(DATES.map(counted));
  assert.deepEqual((points as Point[]).map(figures), expected);
  for (const {rows_n, soft_fail_n, ...point} of points as Point[])
    assert.equal((point as unknown as {soft_fail_ratio: number}).soft_fail_ratio, soft_fail_n / rows_n);
});

test('the last point of a history has the figures of the sample', async () => {
  const sample = await readJson(EXAMPLE, 'public/api/v1/samples/softfail3.json');
  const {points} = await readJson(EXAMPLE, 'public/api/v1/history/softfail3.json');
  const last = (points as Record<string, unknown>[]).at(-1) ?? {};
  for (const [figure, value] of Object.entries(last)) assert.deepEqual(value, sample[figure], figure);
});

test('a history ends with the freeze that a product pins, and starts with the first', async () => {
  await using site = await emptySite();
  await cp(join(EXAMPLE, 'data/sources/deny-list'), join(site.root, 'data/sources/deny-list'), {recursive: true});
  await site.write('data/products/pinned.json', {...CLASS_SHARE, freeze: '2026-04-01'});
  await site.write('data/products/latest.json', {...CLASS_SHARE, title: 'Latest'});
  assert.equal((await site.build()).err, '');
  const pointsOf = async (name: string) => {
    const {points} = await readJson(site.root, `public/api/v1/history/${name}.json`);
    return (points as Point[]).map(({as_of}) => as_of.slice(0, 10));
  };
  assert.deepEqual(await pointsOf('softfail3'), DATES.slice(0, 2));
  assert.deepEqual(await pointsOf('latest'), DATES);
});

test('another freeze adds a point, and does not change the earlier ones', async () => {
  await using site = await emptySite();
  await cp(join(EXAMPLE, 'data/sources/deny-list'), join(site.root, 'data/sources/deny-list'), {recursive: true});
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await site.build();
  const before = await readJson(site.root, 'public/api/v1/history/softfail3.json');
  await site.freeze({
    source: 'deny-list',
    date: '2026-06-01',
    files: {'deny-list.csv': 'url,class\nhttps://a.example/,soft_fail\n'},
    schema: DENY_SCHEMA,
  });
  assert.equal((await site.build()).err, '');
  const after = await readJson(site.root, 'public/api/v1/history/softfail3.json');
  const points = after['points'] as Point[];
  assert.deepEqual(points.slice(0, -1), before['points']);
  assert.deepEqual([points.at(-1)?.as_of, points.at(-1)?.rows_n], ['2026-06-01T12:00:00.000Z', 1]);
});
