import assert from 'node:assert/strict';
import {test} from 'node:test';
import {columnFault} from '../../build/documents/row-files.ts';

for (const [names, fault] of [
  [['name', 'url'], undefined],
  [['Name', 'name'], 'need column names that differ in more than case, and "name" does not'],
  [['name', ''], 'need a name for every column, and one is empty'],
] as const)
  test(`files of rows with the columns ${JSON.stringify(names)} ${fault ?? 'are possible'}`, () => {
    assert.equal(columnFault(names), fault);
  });
