import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import type {FreezeChain, Link} from '../../shared/chain.ts';
import {seal, sha256} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {paths} from '../../shared/paths.ts';
import {catalogueFaults, readCatalogue} from '../../buyer/verify/catalogue.ts';
import {chainRewrites, productRewrites} from '../../buyer/verify/since/rewrites.ts';
import {explainableChanges, sinceCheck} from '../../buyer/verify/since/explained.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {EXAMPLE} from '../example/example.ts';

/** Returns a complete chain of the list `l`: a freeze for each day of May, made from the text after it. */
function chain(days: Readonly<Record<number, string>>): FreezeChain {
  const freezes: Link[] = [];
  for (const [day, text] of Object.entries(days)) {
    const [date, previous] = [`2026-05-${day.padStart(2, '0')}`, freezes.at(-1)?.descriptor];
    const descriptor = sha256(`${text} ${previous}`);
    freezes.push({date, as_of: `${date}T00:00:00.000Z`, descriptor, ...(previous !== undefined && {previous})});
  }
  return {name: 'l', freezes};
}

const THREE = {1: 'a', 3: 'b', 5: 'c'};

test('a known chain must be the same again, and may be longer', () => {
  const reported = chain(THREE);
  const rewritten = (now: FreezeChain[]) => chainRewrites([reported], now).map(({kind, says}) => `${kind}: ${says}`);
  assert.deepEqual(rewritten([chain({...THREE, 6: 'd'}), {name: 'other', freezes: []}]), []);
  const table: [now: FreezeChain[], reported: string[]][] = [
    [[], ['unpublished: the chain of l, up to 2026-05-05, is no longer published']],
    [
      [chain({1: 'a'})],
      ['back: the freezes of 2026-05-03 and 2026-05-05 of l were removed: the source was reset to 2026-05-01'],
    ],
    // Later freezes change with a freeze, because each names the one before.
    [[chain({...THREE, 3: 'x'})], ['changed: the freezes of 2026-05-03 and 2026-05-05 of l were changed']],
    [[chain({...THREE, 5: 'x', 6: 'd'})], ['changed: the freeze of 2026-05-05 of l was changed']],
    [
      [chain({1: 'a', 5: 'c', 6: 'd'})],
      ['removed: the freeze of 2026-05-03 of l was removed', 'changed: the freeze of 2026-05-05 of l was changed'],
    ],
    [
      [chain({...THREE, 4: 'x'})],
      [
        'changed: the freeze of 2026-05-05 of l was changed',
        'inserted: the freeze of 2026-05-04 of l was inserted before 2026-05-05 after that freeze was published',
      ],
    ],
  ];
  for (const [now, says] of table) assert.deepEqual(rewritten(now), says);
  // It is also found if only another predecessor of a freeze is listed, with the freeze's old digest.
  const [first, second, ...rest] = reported.freezes;
  assert.ok(first && second);
  const liar = {name: 'l', freezes: [{...first, descriptor: sha256('x')}, {...second, previous: sha256('x')}, ...rest]};
  assert.deepEqual(rewritten([liar]), ['changed: the freezes of 2026-05-01 and 2026-05-03 of l were changed']);
  const many = chain(Object.fromEntries([...Array(9).keys()].map(day => [day + 1, 'a'])));
  assert.match(
    chainRewrites([many], [chain({9: 'z'})])[0]?.says ?? '',
    /of 2026-05-01, 2026-05-02, 2026-05-03 and 5 more of l/,
  );
});

const catalogueFile = join(EXAMPLE, 'public/api/v1/index.json');
const example = readCatalogue(catalogueFile, await readFile(catalogueFile));

/** The catalogue of the example with another entry for Soft Fail 3. */
const having = (change: Partial<Entry>, {base_url = example.base_url} = {}): Catalogue => ({
  ...example,
  base_url,
  products: example.products.map(entry => (entry.name === 'softfail3' ? {...entry, ...change} : entry)),
});

test('the document of a product does not change for one as_of, and the as_of never decreases', () => {
  const other = {url: '', bytes: 1, sha256: sha256('other')};
  const now = (catalogue: Catalogue) =>
    productRewrites(example, catalogue).map(({kind, says}) => `${kind}: ${says.replaceAll(/[0-9a-f]{64}/g, '#')}`);
  const changed = (what: string) => [
    `changed: the ${what} of softfail3 changed under the same as_of, 2026-05-01T12:00:00.000Z: its SHA-256 was # and is now #`,
  ];
  const table: [now: Catalogue, reported: string[]][] = [
    [example, []],
    [having({paid: {...other, method: 'GET'}}), changed('paid document')],
    [having({sample: other}), changed('sample')],
    [having({history: other}), changed('history')],
    // A sample names the price.
    [having({sample: other, price: '$0.03'}), []],
    [having({sample: other}, {base_url: 'https://moved.example'}), []],
    [having({sample: other, history: other, title: 'Mended'}), []],
    [having({as_of: '2026-06-01T00:00:00.000Z', sample: other, history: other, paid: {...other, method: 'GET'}}), []],
    [
      having({as_of: '2026-04-01T00:00:00.000Z'}),
      ['back: softfail3 was reset from 2026-05-01T12:00:00.000Z to 2026-04-01T00:00:00.000Z'],
    ],
    [
      {...example, products: example.products.filter(({name}) => name !== 'softfail3')},
      ['gone: softfail3 is no longer sold'],
    ],
  ];
  for (const [catalogue, reported] of table) assert.deepEqual(now(catalogue), reported);
});

test('a history and a sample do not change, except for title, price, address and later points', async () => {
  for (const name of ['softfail3', 'webhookbundle'] as const) {
    const entry = example.products.find(one => one.name === name);
    assert.ok(entry);
    const was = {...entry, base_url: example.base_url};
    const moved = {...was, title: 'Mended', price: '$9.99', base_url: 'https://moved.example'};
    for (const part of ['sample', 'history'] as const) {
      const text = await readFile(join(EXAMPLE, 'public', paths[part](name)), 'utf8');
      const value = JSON.parse(text) as Record<string, unknown>;
      const reported = (changed: object) => {
        const bytes = Buffer.from(encode(seal(changed as Record<string, unknown>)));
        const now = {...moved, [part]: {url: '', bytes: bytes.length, sha256: sha256(bytes)}};
        assert.deepEqual(explainableChanges(was, now), [part]);
        return sinceCheck(part, part, bytes, was, moved.base_url).state;
      };
      const {title, price, base_url} = moved;
      const next = {...(value['next'] as object), title, price, url: base_url + paths.paid(name)};
      const reason = String(value['reason']).replace(was.title, title);
      const points = (value['points'] ?? []) as object[];
      const renamed =
        part === 'history'
          ? {...value, title, points: [...points, {...points.at(-1), as_of: '2030-01-01T00:00:00.000Z'}]}
          : {...value, reason, title: `${title} Sample`, next, ...('price_usd' in value && {price_usd: price})};
      assert.equal(reported(renamed), 'passed', `${name} ${part}`);
      assert.equal(reported({...renamed, ...(part === 'history' ? {points: []} : {as_of: 'x'})}), 'failed');
      assert.equal(reported({...renamed, more: 1}), 'failed');
      if (part === 'sample') assert.equal(reported({...renamed, reason: `${reason} `}), 'failed');
    }
  }
});

test('a catalogue with an incomplete, duplicate or unsorted chain contradicts itself', () => {
  const reported = chain(THREE);
  const [first, ...rest] = reported.freezes;
  assert.ok(first);
  const faultsOf = (...sources: FreezeChain[]) => catalogueFaults({...example, sources});
  assert.deepEqual(faultsOf(reported), []);
  assert.match(
    faultsOf({name: 'l', freezes: rest}).join(),
    /^previous in the freeze of 2026-05-03 of l refers to a freeze before it that is missing/,
  );
  assert.match(faultsOf({name: 'l', freezes: reported.freezes.toReversed()})[0] ?? '', /2026-05-03 of l out of order/);
  assert.deepEqual(faultsOf(reported, reported), ['lists l twice']);
  assert.deepEqual(faultsOf({name: 'l', freezes: [{...first, date: '2026-05-02'}, ...rest]}), [
    'lists the freeze of 2026-05-02 of l with an as_of of another day, 2026-05-01T00:00:00.000Z',
  ]);
});
