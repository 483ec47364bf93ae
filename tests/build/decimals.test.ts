import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {openDuckDb} from '../../build/rows/duckdb.ts';
import {literal} from '../../build/rows/sql.ts';
import {typeRules} from '../../build/rows/field-types.ts';

const {connection, close} = await openDuckDb({threads: '1'});
after(close);

const wholes = ['0', '7', '-7', '+7', '-0', '007', '12345678901234567890', `${'0'.repeat(60)}1`, '9'.repeat(38)];
const fractions = [
  '',
  '.',
  '.5',
  '.05',
  '.50',
  '.99',
  '.123456789012345678',
  `.1${'0'.repeat(60)}`,
  `.${'9'.repeat(38)}`,
];
const strange = [
  '',
  '-',
  '.5',
  '-.5',
  ' 1',
  '1 ',
  '1e3',
  '1.2.3',
  '1,5',
  '--1',
  '1-',
  'x',
  '0x10',
  '1_000',
  'NaN',
  '1.5x',
];

for (const scale of [0, 1, 2, 18, 37, 38])
  test(`a decimal of ${scale} digits behind its point is the one that DuckDB casts, in type and value`, async () => {
    const texts = [...wholes.flatMap(whole => fractions.map(fraction => whole + fraction)), ...strange];
    const {value, valid} = typeRules({name: 'amount', type: 'number', scale, constraints: {}});
    const form = new RegExp(`^[+-]?[0-9]+([.][0-9]{0,${scale}}0*)?$`);
    // One statement for all texts, because each statement takes milliseconds.
    const selects = texts.map((text, index) => {
      const read = value(literal(text));
      return `SELECT ${index}, CAST(${read} AS VARCHAR), ${valid?.(literal(text), read)}, typeof(${read}),
        CAST(TRY_CAST(${literal(text)} AS DECIMAL(38, ${scale})) AS VARCHAR)`;
    });
    const rows = (await connection.runAndReadAll(`${selects.join(' UNION ALL ')} ORDER BY 1`)).getRows();
    assert.equal(rows.length, texts.length);
    for (const [index, text] of texts.entries()) {
      const [, ours, isValid, type, cast] = rows[index] ?? [];
      const expected = form.test(text) ? cast : null;
      assert.deepEqual([ours, isValid], [expected, expected !== null], text);
      if (ours !== null) assert.equal(type, `DECIMAL(38,${scale})`, text);
    }
  });
