import assert from 'node:assert/strict';
import {test} from 'node:test';
import {includes} from '../../paywall/payments/sales/pass.ts';
import type {Rule} from '../../shared/shapes.ts';

const [APRIL, MAY, JUNE, JULY] = ['2026-04', '2026-05', '2026-06', '2026-07'].map(
  month => `${month}-01T00:00:00.000Z`,
) as [string, string, string, string];
const both = {a: [APRIL, MAY, JUNE], b: [APRIL, JUNE, JULY]};

/** The sold document, the current document, and whether the pass includes it. */
const cases: readonly [
  what: string,
  sold: Parameters<typeof includes>[0],
  now: Pick<Rule, 'pass' | 'snapshots'>,
  holds: boolean,
][] = [
  ['its own snapshot', {asOf: JULY, laterSnapshots: 1, members: ['a', 'b']}, {snapshots: both}, true],
  ['its last snapshot', {asOf: APRIL, laterSnapshots: 3, members: ['a', 'b']}, {snapshots: both}, true],
  ['a snapshot after its last', {asOf: APRIL, laterSnapshots: 2, members: ['a', 'b']}, {snapshots: both}, false],
  [
    'an earlier snapshot',
    {asOf: '2026-08-01T00:00:00.000Z', laterSnapshots: 1, members: ['a']},
    {snapshots: both},
    true,
  ],
  [
    'what became a pass later',
    {asOf: MAY, laterSnapshots: 0, members: ['a', 'b']},
    {pass: {next: 8}, snapshots: both},
    false,
  ],
  [
    'what is shorter now',
    {asOf: APRIL, laterSnapshots: 8, members: ['a', 'b']},
    {pass: {next: 1}, snapshots: both},
    true,
  ],
  [
    'a product that is no longer a pass',
    {asOf: APRIL, laterSnapshots: 8, members: ['a', 'b']},
    {snapshots: both},
    true,
  ],
  [
    'snapshots of a product that joined',
    {asOf: JUNE, laterSnapshots: 1, members: ['a']},
    {snapshots: {...both, c: [JULY]}},
    true,
  ],
  [
    'its end, after a product joined',
    {asOf: APRIL, laterSnapshots: 1, members: ['a']},
    {snapshots: {...both, c: [JULY]}},
    false,
  ],
  [
    'what is left of its products',
    {asOf: JUNE, laterSnapshots: 1, members: ['a', 'b']},
    {snapshots: {b: both.b}},
    true,
  ],
  ['other products', {asOf: JUNE, laterSnapshots: 9, members: ['a', 'b']}, {snapshots: {c: [JULY]}}, false],
  ['no bundle', {asOf: JUNE, laterSnapshots: 9, members: ['a', 'b']}, {}, false],
  ['a name of objects', {asOf: JUNE, laterSnapshots: 9, members: ['constructor']}, {snapshots: both}, false],
];

for (const [what, sold, now, holds] of cases)
  test(`a pass ${holds ? 'includes' : 'does not include'} ${what}`, () => {
    assert.equal(includes(sold, now), holds);
  });
