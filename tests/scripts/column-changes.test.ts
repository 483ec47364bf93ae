import assert from 'node:assert/strict';
import {test} from 'node:test';
import {columnFaults} from '../../scripts/freeze/column-changes.ts';

const SCHEMA = {fields: ['id', 'area', 'name'].map(name => ({name, type: 'string'}) as const)};
const faultsOf = (...names: string[]) =>
  columnFaults({file: 'list.csv'}, 'csv', names, SCHEMA).map(
    ({value, rule, fix}) => `${String(value)} ${rule}: ${fix}`,
  );

test('new columns are added with one option if nothing else changed', () => {
  const fix = 'Remove it, or add `--add-column population --add-column flag`.';
  assert.deepEqual(faultsOf('id', 'population', 'area', 'name', 'flag'), [
    `population is new: ${fix}`,
    `flag is new: ${fix}`,
  ]);
});

test('a renamed column needs a new schema, which also accepts new columns', () => {
  assert.deepEqual(faultsOf('id', 'area_km2', 'name'), [
    'area_km2 is new: Remove it, or accept all changes with `--new-schema`.',
    'area is missing: Restore the column, or make a schema without it with `--new-schema`.',
  ]);
});
