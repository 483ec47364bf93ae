import assert from 'node:assert/strict';
import {test} from 'node:test';
import {figuresInWords, percentOf} from '../../build/kinds/figures/labels.ts';

const FIGURES = {countries_n: 250, landlocked_n: 45, landlocked_ratio: 0.18, area: 41_277, by_region: []};

test('figures without labels are described by the plain form of their names', () => {
  assert.equal(figuresInWords(FIGURES, {}), 'countries: 250, landlocked: 45, share of landlocked: 18 %, area: 41,277');
  assert.equal(figuresInWords({list: []}, {}), 'the figures follow');
});

test('a figure that is an empty text is marked', () => {
  assert.equal(figuresInWords({n: 2, smallest: ''}, {}), 'n: 2, smallest: (empty)');
});

test('only the endings _n and _ratio are removed from a name', () => {
  const figures = {mean_n: 1, age_min: 2, population: 3, duration: 4, narratio: 5, n: 6, ratio: 0.7};
  const says = 'mean: 1, age min: 2, population: 3, duration: 4, narratio: 5, n: 6, share: 70 %';
  assert.equal(figuresInWords(figures, {}), says);
});

for (const [words, says] of [
  [
    {labels: {landlocked_ratio: 'European'}, units: {countries_n: 'countries'}},
    'landlocked: 45, 18 % of 250 countries are European, area: 41,277',
  ],
  [
    {
      labels: {landlocked_ratio: 'OSI approved', area: 'median area', landlocked_n: 'without a coast'},
      units: {countries_n: 'countries', area: 'km²'},
    },
    'without a coast: 45, 18 % of 250 countries are OSI approved, median area: 41,277 km²',
  ],
  [{labels: {landlocked_ratio: 'inland'}}, 'countries: 250, landlocked: 45, inland: 18 %, area: 41,277'],
  [
    {units: {countries_n: 'countries', area: 'km²'}},
    '250 countries, landlocked: 45, share of landlocked: 18 %, area: 41,277 km²',
  ],
  [{units: {countries_n: 'countries'}}, '250 countries, landlocked: 45, share of landlocked: 18 %, area: 41,277'],
] as const) {
  test(`figures with labels are described as "${says}"`, () => {
    assert.equal(figuresInWords(FIGURES, words), says);
  });
}

const VOTES = {towns_n: 4, votes_n: 1000, yes_n: 480, yes_ratio: 0.48, won_n: 1, won_ratio: 0.25};
const OF_VOTES = {labels: {yes_ratio: 'for it', won_ratio: 'won'}, units: {towns_n: 'towns', votes_n: 'votes'}};
for (const [what, figures, says] of [
  ['exactly', VOTES, 'yes: 480, 48 % of 1,000 votes are for it, won: 1, 25 % of 4 towns are won'],
  ['rounded', {...VOTES, yes_n: 484}, 'yes: 484, 48 % of 1,000 votes are for it, won: 1, 25 % of 4 towns are won'],
  [
    'as 0',
    {...VOTES, yes_n: 0, yes_ratio: 0},
    '1,000 votes, yes: 0, 0 % of 4 towns are for it, won: 1, 25 % of 4 towns are won',
  ],
  ['of no figure', {...VOTES, won_n: 2}, '4 towns, yes: 480, 48 % of 1,000 votes are for it, won: 2, won: 25 %'],
] as const) {
  test(`a share is described with the figure of which it is one, ${what}`, () => {
    assert.equal(figuresInWords(figures, OF_VOTES), says);
  });
}

test('a figure that is already a percentage is not converted', () => {
  const words = {
    labels: {landlocked_percent: 'landlocked'},
    units: {landlocked_percent: '%', countries_n: 'countries'},
  };
  assert.equal(
    figuresInWords({landlocked_percent: 18, countries_n: 250}, words),
    '18 % of 250 countries are landlocked',
  );
});

test('a share that is an exact decimal is also described in percent', () => {
  const words = {labels: {landlocked_ratio: 'landlocked'}, units: {countries_n: 'countries'}};
  assert.equal(
    figuresInWords({landlocked_ratio: '0.1800', countries_n: 250}, words),
    '18 % of 250 countries are landlocked',
  );
});

test('a figure with the name of a member of all objects has no label unless one is given', () => {
  assert.equal(
    figuresInWords({constructor: 1, n: 2}, {labels: {n: 'number'}, units: {n: 'rows'}}),
    'constructor: 1, number: 2 rows',
  );
});

for (const [ratio, says] of [
  [0, '0 %'],
  [1, '100 %'],
  [0.18, '18 %'],
  [0.2875, '28.8 %'], // 28.749999999999996 as a double
  [0.3077, '30.8 %'],
  [0.00043, '0.043 %'],
  [0.00000001, 'less than 0.01 %'],
  [0.99996, 'more than 99.9 %'],
] as const) {
  test(`${ratio} is ${says}`, () => {
    assert.equal(percentOf(ratio), says);
  });
}
