import assert from 'node:assert/strict';
import {test} from 'node:test';
import {textTable} from '../../scripts/terminal/table.ts';

const table = (...cells: string[]) => textTable([cells], () => text => text, 10).join('\n');

test('cells have no control characters, and are cut quickly to the maximum width', () => {
  assert.equal(table('short', 'ten wide..', 'last'), 'short  ten wide..  last');
  assert.equal(table('\u001b[2J', '漢字漢字漢字'), '\\u001b[2J  漢字漢字…');
  assert.equal(table('x'.repeat(3_000_000), '\u0301'.repeat(3_000_000)).slice(0, 12), `${'x'.repeat(9)}…  `);
});

test('columns are aligned for all texts', () => {
  const rows = [
    ['👍🏽🇩🇪漢', '|'],
    ['e\u0301Жﾊ', '|'],
  ];
  assert.deepEqual(
    textTable(rows, () => text => text),
    ['👍🏽🇩🇪漢  |', 'e\u0301Жﾊ     |'],
  );
});
