import assert from 'node:assert/strict';
import {test} from 'node:test';
import bundle from '../../build/kinds/bundle.ts';
import type {Chart} from '../../build/kinds/figures/counts.ts';
import type {Json} from '../../build/kinds/kind.ts';
import type {Point} from '../../build/documents/record.ts';
import {textOf} from '../../build/pages/html/layout.ts';
import {dots, highlightOf} from '../../build/pages/product/shapes.ts';
import {MADE_UP} from './made-up.ts';

const chart: Chart = {
  shape: 'dots',
  unit: 'origins',
  claim: 'have equal timestamps',
  parts: [
    {label: 'equal', n: 48, claimed: true},
    {label: 'different', n: 12, claimed: false},
  ],
};
const published: Point = {...MADE_UP.published, chart};
const {file, name, title, kind, price, difference} = MADE_UP;
const PRODUCT = {file, name, title, kind, price, difference, siblings: [], namedBy: 'title'} as const;

test('the parts of a bar that are not claimed are grey, also if the product page draws them as rings', () => {
  const {drawing} = highlightOf({...MADE_UP, published});
  assert.ok(drawing);
  const svg = textOf(drawing);
  assert.deepEqual(
    [...svg.matchAll(/<rect[^>]*class="([^"]+)"[^>]*width="([^"]+)"/g)].map(([, ...values]) => values),
    [
      ['claimed', '80%'],
      ['part-1', '20%'],
    ],
  );
});

test('fifty dots are distributed over the parts of a larger whole', () => {
  const svg = textOf(dots(chart));
  const groups = [...svg.matchAll(/<g class="([^"]+)">(.*?)<\/g>/gs)];
  assert.deepEqual(
    groups.map(([, swatch, circles = '']) => [swatch, circles.match(/<circle/g)?.length]),
    [
      ['claimed', 40],
      ['other', 10],
    ],
  );
  assert.match(svg, /aria-label="48 of 60 origins have equal timestamps\. equal: 48, different: 12\."/);
});

for (const [values, change] of [
  [[5, 7, 8], '+1'],
  [[5, 7, '8.00'], undefined],
  [[5, '7.00', 8], undefined],
  [['7.00', '7.00', '8.00'], 'changed'],
  [['7.00', '8.00', '8.00'], 'unchanged'],
] as const) {
  test(`a figure that was ${values.join(', then ')} has the change ${change ?? 'that is unknown'} since the last snapshot`, () => {
    const history = values.map((price, month) => ({
      ...MADE_UP.published,
      as_of: `2026-0${month + 1}-01T00:00:00.000Z`,
      figures: {price},
    }));
    const last = history.at(-1) ?? MADE_UP.published;
    assert.equal(highlightOf({...MADE_UP, published: last, history}).change, change);
  });
}

for (const [value, from, to] of [
  [7, '5,27', '5,5'],
  [-7, '5,5', '5,27'],
] as const) {
  test(`${value}, the only value of a figure, is drawn from zero`, () => {
    const first = {...MADE_UP.published, figures: {price: value}};
    const {drawing} = highlightOf({...MADE_UP, published: first, history: [first]});
    assert.ok(drawing);
    assert.ok(textOf(drawing).includes(`<polyline points="${from} ${to}" />`));
  });
}

for (const [values, words] of [
  [['a'], 'new on 1 January 2026'],
  [['a', 'a', 'b'], 'new on 1 January 2026, unchanged on 1 February 2026, new on 1 March 2026'],
  [[{a: 1}, {a: 1}], 'new on 1 January 2026, unchanged on 1 February 2026'],
] as const) {
  test(`a value that was ${JSON.stringify(values)} is drawn as ${words}`, () => {
    const history = values.map((value, month) => ({
      ...MADE_UP.published,
      as_of: `2026-0${month + 1}-01T00:00:00.000Z`,
      figures: {value},
    }));
    const last = history.at(-1) ?? MADE_UP.published;
    const {drawing} = highlightOf({...MADE_UP, published: last, history});
    assert.ok(drawing);
    assert.ok(textOf(drawing).includes(`aria-label="Snapshots: ${words}"`));
    assert.equal(textOf(drawing).match(/class="now"/g)?.length, words.match(/new/g)?.length);
  });
}

test('signed events are drawn as dots', () => {
  const parts = [{label: 'payment required', n: 3, claimed: true}];
  const events: Point = {...MADE_UP.published, chart: {shape: 'dots', unit: 'signed events', parts}};
  const {drawing, headline} = highlightOf({...MADE_UP, published: events});
  assert.equal(headline, '3 signed events');
  assert.ok(drawing);
  assert.equal(textOf(drawing).match(/<circle/g)?.length, 3);
});

const LISTS = {First: {rows: [1, 2, 3]}, Second: {rows: [1]}};
const BUNDLES: readonly (readonly [documents: Readonly<Record<string, Json>>, words: string])[] = [
  [LISTS, '4 rows. First: 3, Second: 1.'],
  [{...LISTS, Empty: {rows: []}}, '3 documents. First: 1, Second: 1, Empty: 1.'],
  [{...LISTS, Events: {events: [1, 2]}}, '3 documents. First: 1, Second: 1, Events: 1.'],
];

for (const [documents, words] of BUNDLES) {
  test(`a bundle is drawn as ${words}`, () => {
    const titles = Object.keys(documents);
    const bundled = Object.entries(documents).map(([title, document]) => ({
      ...{name: title.toLowerCase(), title, as_of: '', price: '$0.02', url: '', sample: '', sha256: ''},
      ...{document, schema: {}},
    }));
    const {chart, summary} = bundle.answer({...PRODUCT, bundle: []}, bundled);
    const {drawing} = highlightOf({
      ...{...MADE_UP, published: {...MADE_UP.published, summary, chart}},
      paidContent: {...MADE_UP.paidContent, type: 'document', holds: titles},
    });
    assert.ok(drawing);
    assert.ok(textOf(drawing).includes(`aria-label="${words}"`));
  });
}
