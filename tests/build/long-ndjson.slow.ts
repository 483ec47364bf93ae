import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readFreezes} from '../../build/read/freezes.ts';
import {openDatabase} from '../../build/rows/database.ts';
import {scan} from '../../build/rows/scan.ts';
import {Table} from '../../build/rows/table.ts';
import {InputError} from '../../shared/fault.ts';
import {emptySite} from './site-fixture.ts';

const SCHEMA = {
  fields: [
    {name: 'url', type: 'string'},
    {name: 'class', type: 'string', constraints: {enum: ['dead', 'soft_fail', 'false', 'inf']}},
    {name: 'claimed', type: 'boolean'},
    {name: 'seen', type: 'date'},
    {name: 'times', type: 'integer'},
  ],
};
const ROWS = 12_000;
// Longer than the chunk that is read at a time: long rows, because each row takes time.
const LONG = 'x'.repeat(300);
const list = Array.from({length: ROWS}, (_, row) =>
  JSON.stringify({
    url: `https://host-${row}.example/${LONG}ä`,
    class: row % 3 ? 'dead' : 'soft_fail',
    claimed: row % 2 === 0,
    seen: '2026-05-01',
    times: row,
  }),
);
const rowWith = (members: object) =>
  JSON.stringify({url: 'u', class: 'dead', claimed: true, seen: '2026-05-01', times: 1, ...members});
/** Additional bytes per row. */
const longer = (bytes: number) => rowWith({}).replace('{', '{' + ' '.repeat(bytes));

/** Rows at the end of the list. The error if they are wrong, or the number of reads if they are right. */
const cases: readonly (readonly [name: string, rows: readonly string[], expected: string | number])[] = [
  ['nothing else', [], 1],
  ['members in another order', ['{"times":5,"class":"dead","seen":"2026-05-01","claimed":false,"url":"v"}'], 1],
  ['a space', [longer(1)], 2],
  ['an escape', [rowWith({}).replace('"u"', String.raw`"\u0075"`)], 2],
  ['a text that begins like a number', [rowWith({url: '1st'})], 2],
  ['a number in place of a text', [rowWith({url: 1}), longer(2)], 'url "1" is a number, not a text'],
  ['a truth in place of a text', [rowWith({url: true}), longer(2)], 'url "true" is not a text'],
  ...['nan', 'NaN', 'inf', 'INFINITY'].map(
    word =>
      [
        `${word} in place of a text`,
        [rowWith({}).replace('"u"', word), longer(2)],
        `url "${word}" is not a text`,
      ] as const,
  ),
  ['inf in place of a class', [rowWith({}).replace('"dead"', 'inf'), longer(2)], 'class "inf" is not a text'],
  ['an object in place of a text', [rowWith({url: {a: 1}}), longer(2)], String.raw`url "{\"a\":1}" is not a text`],
  ['a list in place of a text', [rowWith({url: [1]}), longer(2)], 'url "[1]" is not a text'],
  ['a truth in place of a class', [rowWith({class: false}), longer(2)], 'class "false" is not a text'],
  ['a number in place of a truth', [rowWith({claimed: 1})], 'claimed "1" is not a boolean: true or false'],
  ['a text in place of a number', [rowWith({times: '1'})], 'times "1" is a text, not an integer'],
  [
    'a member too few, one too many elsewhere',
    [rowWith({}).replace('}', ',"tame":1}'), rowWith({times: undefined})],
    'row "url, class, claimed, seen, times, tame" is not an object',
  ],
  [
    'a member twice, with numbers that hide it',
    [rowWith({}).replace('}', ',"url":"u"}'), ...Array.from({length: 5}, () => rowWith({url: 1}))],
    'row "url, class, claimed, seen, times, url" is not an object',
  ],
];

test('a long list of NDJSON is read by the names of its columns only if that has the same result', async t => {
  for (const [name, rows, expected] of cases) {
    await t.test(name, async () => {
      await using site = await emptySite();
      const text = `${[...list, ...rows].join('\n')}\n`;
      await site.freeze({source: 'list', files: {'list.ndjson': text}, format: 'ndjson', schema: SCHEMA});
      const [freeze] = await readFreezes(site.root, 'list');
      assert.ok(freeze);
      const table = new Table(freeze);
      const failed = table.count(
        "v1 = 'soft_fail' AND NOT v2 AND t3 = '2026-05-01' AND v4 < 99 AND ends_with(v0, 'ä')",
      );
      const database = await openDatabase(site.root);
      let reads = 0;
      const counting = {
        ...database,
        query: (sql: string) => {
          reads += 1;
          return database.query(sql);
        },
      };
      try {
        const asked = {measures: [failed], rules: [], answer: () => assert.fail('is not needed')};
        const scanned = scan(counting, table, [asked]);
        if (typeof expected === 'string')
          await assert.rejects(
            scanned,
            (error: Error) => error instanceof InputError && error.message.includes(`.ndjson:${ROWS + 1}: ${expected}`),
          );
        else {
          const read = await scanned;
          assert.deepEqual([read(table.count()), read(failed), reads], [ROWS + rows.length, 16, expected]);
        }
      } finally {
        database.close();
      }
    });
  }
});
