import assert from 'node:assert/strict';
import {test} from 'node:test';
import {shareChart} from '../../build/kinds/figures/counts.ts';

const share = {rows_n: 8, dead_n: 2, dead_ratio: 0.25};

for (const [what, figures, words, claim] of [
  ['of rows', share, {}, '2 of 8 rows are counted as dead'],
  ['with a label and a unit', share, {labels: {dead_n: 'gone'}, units: {rows_n: 'origins'}}, '2 of 8 origins are gone'],
  [
    'of the first figure with a unit',
    {all: 4, eu_n: 1, eu_ratio: 0.25},
    {units: {all: 'states'}},
    '1 of 4 states are counted as eu',
  ],
] as const) {
  test(`figures of a query are drawn as a share ${what}`, () => {
    const chart = shareChart(figures, words);
    const [part, rest] = chart?.parts ?? [];
    const total = Number(part?.n) + Number(rest?.n);
    assert.equal(`${part?.n} of ${total} ${chart?.unit} ${chart?.claim}`, claim);
  });
}

for (const [what, figures] of [
  ['with another ratio', {...share, dead_ratio: 0.3}],
  ['without a whole', {dead_n: 2, dead_ratio: 0.25}],
  ['of more than the whole', {rows_n: 1, dead_n: 2, dead_ratio: 2}],
  ['of texts', {rows_n: '8', dead_n: '2', dead_ratio: '0.25'}],
] as const) {
  test(`figures ${what} are not drawn as a share`, () => {
    assert.equal(shareChart(figures, {}), undefined);
  });
}
