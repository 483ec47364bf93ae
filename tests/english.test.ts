import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import fastGlob from 'fast-glob';
import {
  capitalised,
  englishDate,
  englishList,
  englishNumber,
  englishPercent,
  firstOf,
  type NumberForm,
} from '../shared/english.ts';
import {PROJECT} from './project.ts';

const forms: readonly (readonly [NumberForm, Intl.NumberFormatOptions])[] = [
  [{}, {}],
  [
    {plus: true, maxFraction: 1},
    {signDisplay: 'exceptZero', maximumFractionDigits: 1},
  ],
  [
    {plus: true, maxFraction: 6},
    {signDisplay: 'exceptZero', maximumFractionDigits: 6},
  ],
  [
    {plus: true, maxSignificant: 2},
    {signDisplay: 'exceptZero', maximumSignificantDigits: 2},
  ],
  [{maxSignificant: 6}, {maximumSignificantDigits: 6, signDisplay: 'negative'}],
  [
    {minFraction: 2, maxFraction: 6},
    {minimumFractionDigits: 2, maximumFractionDigits: 6, signDisplay: 'negative'},
  ],
];
const numbers = [
  ...[
    0,
    1,
    9,
    10,
    999,
    1000,
    1234567,
    2 ** 53 - 1,
    0.1 + 0.2,
    0.0005,
    0.00049999,
    0.5,
    1.5,
    0.05,
    0.15,
    9.995,
    999.9996,
  ],
  ...[Infinity, 1e-7, 5e-7, 1e21, 1.7976931348623157e308, 0.1235, 0.285, 12.35, 999_950],
  // A fixed sequence of doubles of all sizes.
  ...Array.from({length: 5_000}, (_, n) => Math.abs(Math.sin(n + 1)) * 10 ** ((n % 19) - 9)),
];

test('numbers have the format of Intl', () => {
  for (const [form, options] of forms) {
    const plain = new Intl.NumberFormat('en-GB', options);
    const percent = new Intl.NumberFormat('en-GB', {
      ...options,
      style: 'percent',
      maximumFractionDigits: form.maxFraction ?? 3,
    });
    for (const number of numbers.flatMap(one => (one === 0 ? [one] : [one, -one]))) {
      const expected = plain.format(number).replace(/^-(?=[0.,]*$)/, '');
      assert.equal(englishNumber(number, form), expected, `${number} ${JSON.stringify(form)}`);
      if (form.maxSignificant === undefined)
        assert.equal(
          englishPercent(number, form),
          percent.format(number).replace(/^-(?=[0.,]*%$)/, ''),
          String(number),
        );
    }
  }
});

test('amounts are written digit by digit', () => {
  assert.equal(
    englishNumber('123456789012345678901.50', {minFraction: 2, maxFraction: 18}),
    '123,456,789,012,345,678,901.50',
  );
  assert.equal(englishNumber(12345678901234567890n), '12,345,678,901,234,567,890');
  assert.throws(() => englishNumber('1e'), RangeError);
  assert.throws(() => englishNumber(Number.NaN), RangeError);
});

test('lists and dates', () => {
  assert.deepEqual(
    ['', 'a', 'a,b', 'a,b,c'].map(text => englishList(text.split(','))),
    ['', 'a', 'a and b', 'a, b and c'],
  );
  assert.equal(englishDate(new Date('2026-09-01T23:59:59.999Z')), '1 September 2026');
});

test('no output depends on the locale data of the running Node', async () => {
  const files = await fastGlob('{build,buyer,paywall,scripts,shared}/**/*.ts', {
    cwd: PROJECT,
    ignore: ['**/in-browser/**'],
  });
  assert.ok(files.length > 300);
  const uses = /\bIntl\.|\.toLocale\w*\(|\.localeCompare\(/;
  const found = await Promise.all(
    files.map(async file => (uses.test(await readFile(join(PROJECT, file), 'utf8')) ? [file] : [])),
  );
  assert.deepEqual(found.flat(), []);
});

test('a list of texts shows where each text ends', () => {
  assert.equal(firstOf(['Gray', 'Black, Gray', '', 4], 3), 'Gray, "Black, Gray", (empty) and 1 more');
});

test('a sentence starts with a capital letter, unless its first word is a name with capitals inside', () => {
  const says = {
    'rows: 26': 'Rows: 26',
    'isOpen: 3': 'isOpen: 3',
    'non-European: 4': 'Non-European: 4',
    '8 rows': '8 rows',
    '': '',
  };
  for (const [text, expected] of Object.entries(says)) assert.equal(capitalised(text), expected);
});
