import assert from 'node:assert/strict';
import {after, describe, test} from 'node:test';
import {isClose} from '../../shared/source-name.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {freezeFixture} from './freeze-fixture.ts';

const rows = (count: number, of: (n: number) => string, header = 'url,class,state') =>
  `${header}\n${Array.from({length: count}, (_, n) => `${of(n)}\n`).join('')}`;
const row = (n: number, kind = n % 2 ? 'dead' : 'fraud') => `https://a${n}.example/,${kind},open`;
const json = (count: number, more: object) =>
  Array.from(
    {length: count},
    (_, n) => `${JSON.stringify({url: `https://a${n}.example/`, class: n % 2 ? 'a' : 'b', ...more})}\n`,
  ).join('');

describe('a second freeze', async () => {
  const fixture = await freezeFixture();
  after(() => fixture[Symbol.asyncDispose]());
  const first = async (source: string, name: string, content: string) => {
    const {code, err} = await fixture.freeze(
      source,
      await fixture.list(name, content),
      '--as-of',
      '2026-05-01',
      '--new-source',
    );
    assert.equal(code, 0, err);
  };
  const second = async (source: string, name: string, content: string, ...args: string[]) =>
    fixture.freeze(source, await fixture.list(name, content), '--as-of', '2026-06-01', '--dry-run', ...args);
  await first(
    'deny-list',
    'first.csv',
    rows(40, n => row(n)),
  );
  await first('members', 'first.ndjson', json(20, {state: 'x'}));

  for (const [name, broken, code] of [
    ['in another encoding', Buffer.from(rows(40, n => row(n)).replace('a39.', 'a\u00e9.'), 'latin1'), 'FZ104'],
    ['with a broken record', `${rows(40, n => row(n))}x,dead,open,more\n`, 'FZ105'],
  ] as const)
    test(`refuses a list ${name}, and does not suggest another schema`, async () => {
      const list = await fixture.list('broken.csv', broken);
      const {code: exit, remedies = ''} = await fixture.freeze('deny-list', list, '--as-of', '2026-06-01', '--dry-run');
      assert.equal(exit, 1);
      assert.match(remedies, new RegExp(`^${code}: `));
      assert.doesNotMatch(remedies, /schema/);
    });

  for (const count of [0, 1, 19])
    test(`refuses a list of ${count} rows after one of 40, without --allow-shrink`, async () => {
      const {code, err} = await second(
        'deny-list',
        'fewer.csv',
        rows(count, n => row(n)),
      );
      assert.equal(code, 1);
      assert.match(err, new RegExp(`fewer\\.csv has ${count} rows?, but the freeze of 2026-05-01 has 40`));
      assert.equal(
        (
          await second(
            'deny-list',
            'fewer.csv',
            rows(count, n => row(n)),
            '--allow-shrink',
          )
        ).code,
        0,
      );
    });

  test('accepts a list that lost half of its rows', async () => {
    assert.equal(
      (
        await second(
          'deny-list',
          'half.csv',
          rows(20, n => row(n)),
        )
      ).code,
      0,
    );
  });

  test('refuses an empty file of NDJSON with a remedy, an empty JSON array, that works', async () => {
    const empty = await second('members', 'empty.ndjson', '', '--allow-shrink');
    assert.match(empty.err, /empty\.ndjson is empty$/m);
    assert.match(
      empty.remedies ?? '',
      /With `--allow-shrink` a later list may be empty: .*, or `\[\]` in a JSON file\.$/,
    );
    assert.equal((await second('members', 'empty.json', '[]', '--allow-shrink')).code, 0);
  });

  const keeps = 'has the schema that this list must follow';
  const columns: readonly (readonly [string, string, string, string, string, string])[] = [
    [
      'new',
      'deny-list',
      'a.csv',
      rows(40, n => `${row(n)},x`, 'url,class,state,family'),
      'a.csv:1: column "family" is new',
      'Remove it, or add `--add-column family`.',
    ],
    [
      'missing',
      'deny-list',
      'a.csv',
      rows(40, n => row(n).replace(',open', ''), 'url,class'),
      'a.csv:1: column "state" is missing',
      'Restore the column, or make a schema without it with `--new-schema`.',
    ],
    [
      'moved',
      'deny-list',
      'a.csv',
      rows(40, n => `open,${row(n).replace(',open', '')}`, 'state,url,class'),
      'a.csv:1: column "state" has moved',
      'Restore the order url, class, state, or accept the new one with `--new-schema`.',
    ],
    [
      'written in another case',
      'deny-list',
      'a.csv',
      rows(40, row, 'url,class,State'),
      'a.csv:1: column "State" was "state"',
      'Restore the name, or accept the new one with `--new-schema`.',
    ],
    [
      'new in NDJSON',
      'members',
      'a.ndjson',
      json(20, {state: 'x', family: 'y'}),
      'a.ndjson: column "family" is new',
      'Remove it, or add `--add-column family`.',
    ],
    [
      'missing in NDJSON',
      'members',
      'a.ndjson',
      json(20, {}),
      'a.ndjson: column "state" is missing',
      'Restore the column, or make a schema without it with `--new-schema`.',
    ],
  ];
  for (const [name, source, file, content, says, remedy] of columns)
    test(`names a column that is ${name} in one line`, async () => {
      const {code, err, remedies} = await second(source, file, content);
      const lines = err
        .trimEnd()
        .split('\n')
        .map(line => line.replace(`${fixture.lists}/`, ''));
      assert.deepEqual([code, lines], [1, [`data/sources/${source}/2026-05-01/datapackage.json ${keeps}`, says]]);
      assert.equal(remedies, `FZ115: ${remedy}`);
    });

  test('shows an unknown class once, and --add-class adds it to its column', async () => {
    const content = rows(40, n => (n % 2 ? row(n) : row(n).replace('open', 'mdn')));
    const {code, err} = await second('deny-list', 'mdn.csv', content);
    assert.equal(code, 1);
    assert.equal(err.match(/"mdn" is not one of open/g)?.length, 1);
    const added = await second('deny-list', 'mdn.csv', content, '--add-class', 'state=mdn');
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^state .* one of open, mdn$/m);
  });

  test('shortens a long enum in messages', async () => {
    const many = rows(200, n => `https://a${n}.example/,c${n % 40}`, 'url,class');
    await first('many', 'many.csv', many);
    const {err} = await second('many', 'many.csv', many.replaceAll(',c7\n', ',odd\n'));
    assert.match(err, /class "odd" is not one of c0, c1, c10, [^\n]* and 30 more$/m);
  });

  for (const name of ['id', 'thing_id', 'code'])
    test(`takes ${name} for the key rather than name`, async () => {
      const content = rows(20, n => `name ${n},${n}`, `name,${name}`);
      const {out, err} = await second('things', 'things.csv', content);
      assert.match(out, new RegExp(`^${name} .*key`, 'm'), err);
    });

  test('refuses a new source with a name similar to an existing one, without --new-source', async () => {
    const list = rows(40, n => row(n));
    const {code, err} = await second('deny-lists', 'a.csv', list);
    assert.equal(code, 2);
    assert.match(err, /^source "deny-lists" is new, and close to deny-list$/m);
    assert.equal((await second('deny-lists', 'a.csv', list, '--new-source')).code, 0);
  });
});

test('names are similar if they differ by a plural, a separator or one letter, but not by a digit', () => {
  for (const [one, other, close] of [
    ['feeds', 'feed', true],
    ['countries', 'country', true],
    ['deny-list', 'denylist', true],
    ['deny-list', 'deny_list', true],
    ['deny-list', 'deny-lsit', true],
    ['deny-list', 'dney-list', true],
    ['deny-list', 'deny-lit', true],
    ['list-2025', 'list-2026', false],
    ['deny-list', 'allow-list', false],
    ['ab', 'ac', false],
  ] as const)
    assert.equal(isClose(one, other), close, `${one} ${other}`);
});

test('the report of a freeze names the next step: a product if the source has none, otherwise a build', async () => {
  await using fixture = await freezeFixture();
  const nextOf = async (asOf: string) => {
    const {out, err} = await fixture.freeze(
      'deny-list',
      await fixture.list(
        'a.csv',
        rows(20, n => row(n)),
      ),
      '--as-of',
      asOf,
    );
    return /^Next: .*$/m.exec(out)?.[0] ?? assert.fail(out + err);
  };
  assert.match(
    await nextOf('2026-05-01'),
    /^Next: describe a product over this list in data\/products\/, then run frozen build --root /,
  );
  await fixture.site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, source: 'deny-list'});
  assert.match(await nextOf('2026-06-01'), /^Next: frozen build --root /);
});
