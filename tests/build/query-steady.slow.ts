import assert from 'node:assert/strict';
import {test} from 'node:test';
import {errorLine, jsonErrors} from '../json-errors.ts';
import {emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

/** Threads divide a table into row groups of 122,880 rows. This is enough for four. */
const ROWS = 500_000;

test('a query with a result that depends on the order of rows or on threads is refused for a list that several threads read', async () => {
  await using site = await emptySite();
  const csv = Array.from({length: ROWS}, (_, n) => `${n},${n % 7},${1 / (n + 1)}\n`);
  await site.freeze({
    source: 'long',
    schema: {
      fields: [
        {name: 'id', type: 'integer'},
        {name: 'class', type: 'integer'},
        {name: 'share', type: 'number'},
      ],
      primaryKey: ['id'],
    },
    files: {'long.csv': `id,class,share\n${csv.join('')}`},
  });
  const product = {
    title: 'Long',
    kind: 'query',
    price: '$0.05',
    source: 'long',
    examples: 0,
    figures: 'SELECT count(*) AS rows_n FROM rows',
    rows: 'SELECT id FROM rows ORDER BY id LIMIT 3',
    difference: 'counts',
  };
  const loose = {
    sum: {figures: 'SELECT sum(share) AS total FROM rows'},
    groups: {rows: 'SELECT class, sum(share) / count(share) AS mean FROM rows GROUP BY class ORDER BY class'},
    first: {rows: 'SELECT class, first(id) AS id FROM rows GROUP BY class ORDER BY class'},
    list: {figures: 'SELECT list(id)[1] AS one FROM rows'},
    rank: {rows: 'SELECT id, row_number() OVER (ORDER BY class) AS rank FROM rows ORDER BY id'},
  };
  for (const [title, members] of Object.entries(loose))
    await site.write(`data/products/${title}.json`, {...product, title, ...members});
  const lines = jsonErrors((await site.build('--json')).out)
    .map(errorLine)
    .sort()
    .join('\n');
  assert.match(lines, /first\.json:8: rows .* column id of row 1 \(class 0\) is \d+, not 0$/m);
  assert.match(lines, /groups\.json:8: rows .* column mean of row \d \(class \d\) is .*, because sums of doubles/);
  assert.match(lines, /list\.json:7: figures .* column one is \d+, not 0$/m);
  assert.match(lines, /rank\.json:8: rows .* column rank of row \d .*, not \d+$/m);
  assert.match(lines, /sum\.json:7: figures .* column total is .*, because sums of doubles/);
  assert.equal(lines.split('\n').length, Object.keys(loose).length);

  const tight = {
    sum: {figures: 'SELECT sum(share::DECIMAL(38, 17)) AS total, round(sum(share), 6) AS rounded FROM rows'},
    groups: {rows: 'SELECT class, round(sum(share) / count(share), 9) AS mean FROM rows GROUP BY class ORDER BY class'},
    first: {rows: 'SELECT class, first(id ORDER BY id) AS id FROM rows GROUP BY class ORDER BY class'},
    list: {figures: 'SELECT list(id ORDER BY id)[1] AS one FROM rows'},
    rank: {rows: 'SELECT id, row_number() OVER (ORDER BY class, id) AS rank FROM rows ORDER BY id'},
  };
  for (const [title, members] of Object.entries(tight))
    await site.write(`data/products/${title}.json`, {...product, title, ...members});
  assert.equal((await site.build()).err, '');
  const {points} = await readJson(site.root, 'public/api/v1/history/list.json');
  assert.deepEqual(
    (points as {one: number}[]).map(({one}) => one),
    [0],
  );
});
