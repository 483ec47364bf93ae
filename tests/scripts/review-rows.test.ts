import assert from 'node:assert/strict';
import {test} from 'node:test';
import {rowLines} from '../../scripts/review/layout-lines.ts';
import {rowsChange} from '../../scripts/review/rows.ts';
import {plain} from '../../scripts/review/words.ts';

/** Returns the lines of a review of these rows. */
function reviewed(was: readonly object[], is: readonly object[]): readonly string[] {
  const change = rowsChange({rows: was}, {rows: is}, 5);
  assert.ok(change);
  return rowLines(change).flatMap(block => (block.kind === 'diff' ? block.lines : []));
}

test('an empty text is marked, and differs from a missing value', () => {
  const same = {id: 'd', region: 'Asia', note: ''};
  const was = [{id: 'a', region: 'Europe', note: ''}, {id: 'b', region: '', note: 'x'}, same];
  const is = [
    {id: 'a', region: '', note: ''},
    {id: 'b', region: null, note: 'x'},
    {id: 'c', region: '', note: null},
    same,
  ];
  assert.deepEqual(reviewed(was, is), [
    '+ c  region (empty)  note null',
    '! a  region Europe → (empty)',
    '! b  region (empty) → null',
  ]);
});

test('rows are identified by a text before an object', () => {
  const row = (code: string, area: number) => ({name: {common: code.toLowerCase()}, code, area});
  assert.deepEqual(reviewed([row('A', 1), row('B', 2)], [row('A', 1), row('B', 3)]), ['! B  area 2 → 3']);
});

test('rows without a key are equal if only their columns have another order', () => {
  const was = [
    {a: 1, b: 2},
    {a: 1, b: 2},
    {a: 3, b: null},
  ];
  const is = [
    {b: 2, a: 1},
    {b: 2, a: 1},
  ];
  assert.deepEqual(reviewed(was, is), ['- {"a":3,"b":null}']);
});

test('rows of which only the order of the columns changed are described so', () => {
  const change = rowsChange({rows: [{id: 'a', n: 1}]}, {rows: [{n: 1, id: 'a'}]}, 5);
  assert.ok(change);
  const words = rowLines(change).flatMap(block => (block.kind === 'text' ? [plain(block.words)] : []));
  assert.deepEqual(words, ['rows: columns in another order, by n']);
});
