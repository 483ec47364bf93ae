import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Chart} from '../../build/kinds/figures/counts.ts';
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
] as const) {
  test(`a figure that was ${values.join(', then ')} changed by ${change ?? 'an unknown number'} since the last snapshot`, () => {
    const history = values.map((price, month) => ({
      ...MADE_UP.published,
      as_of: `2026-0${month + 1}-01T00:00:00.000Z`,
      figures: {price},
    }));
    const last = history.at(-1) ?? MADE_UP.published;
    assert.equal(highlightOf({...MADE_UP, published: last, history}).change, change);
  });
}
