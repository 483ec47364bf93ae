import {VERIFIED_SCHEMA} from '../site-fixture.ts';
import {DENY, VERIFIED, type BadInput} from './bad-input.ts';
import {list, withColumn} from './deny-list.ts';

/** A deny list with a third column, `x`, with one of these values per row, and the error for each. */
const valuedAll = (name: string, field: object, values: readonly (readonly [value: string, says: string])[]) =>
  list(
    name,
    `url,class,x\n${values.map(([value], n) => `https://${n}.example/,dead,${value}\n`).join('')}`,
    values.map(([value, says], n) => `deny-list.csv:${n + 2}: x ${JSON.stringify(value)} ${says}`),
    withColumn({name: 'x', ...field}),
  );
/** The same with one value. */
const valued = (name: string, field: object, value: string, says: BadInput['says']) =>
  list(name, `url,class,x\nhttps://a.example/,dead,${value}\n`, says, withColumn({name: 'x', ...field}));
const RULES = {
  'out of range': 'is not an integer within ±(2^53 - 1)',
  zeros: 'has leading zeros, which a number would lose',
  lossy: 'has characters that a number would lose',
  id: 'has characters that a number would lose',
  point: 'is not written as an integer',
  digits: 'has more digits or a larger exponent than a double represents',
  blanks: 'has white space around it',
  blank: 'is only white space',
};
const ruleOf = (type: string, why: string) => {
  const name = type === 'integer' ? 'an integer' : 'a number';
  const rules: Readonly<Record<string, string>> = {
    ...RULES,
    missing: `is not ${name} but looks like a missing value`,
    infinite: 'is not a finite number',
    other: `is not ${name}`,
  };
  return rules[why] ?? why;
};
/** Values that each kind of numeric column refuses, by the reason. */
const LOSSY = {
  zeros: ['007', '00', '-01', '+007', '01.5'],
  lossy: ['+5', '+0', '-0', '5.', '.5', '-.5'],
  blank: [' '],
  blanks: [' 3', '3 '],
  infinite: ['NaN', 'inf', '-Infinity'],
  missing: ['N/A', 'NA', 'null', '-'],
};
/** Lists of at most twenty values, because the build shows the first twenty faults. */
const numerics = (
  field: {readonly type: string; readonly scale?: number},
  reasons: Readonly<Record<string, readonly string[]>>,
) => {
  const values = Object.entries(reasons).flatMap(([why, texts]) =>
    texts.map(text => [text, ruleOf(field.type, why)] as const),
  );
  const scale = field.scale === undefined ? '' : ` of scale ${field.scale}`;
  return Array.from({length: Math.ceil(values.length / 20)}, (_, n) =>
    valuedAll(`${field.type}s${scale}, list ${n + 1}`, field, values.slice(20 * n, 20 * n + 20)),
  );
};
/** A number, with an equal one in the row above. */
const equal = (value: string, before: string) =>
  list(
    `the number ${value} below ${before}`,
    `url,class,x\nhttps://a.example/,dead,${before}\nhttps://b.example/,dead,3.5\nhttps://c.example/,dead,${value}\n`,
    `deny-list.csv:4: x ${JSON.stringify(value)} is the same number as one above, written in another way, and both would become one value: first in line 2`,
    withColumn({name: 'x', type: 'number'}),
  );
const claim = (column: string, type: string, value: string): BadInput =>
  list(
    `a column that claims ${column} ${value}`,
    `url,class,${column}\nhttps://a.example/,soft_fail,${value}\n`,
    `deny-list.csv:2: ${column} "${value}" claims a listing or a settlement, which no document may do`,
    withColumn({name: column, type}),
  );
/** Verifications at invalid times. */
const moments = (all: readonly string[]): BadInput => ({
  name: 'the times of verifications',
  breaks: site =>
    site.freeze({
      ...VERIFIED,
      files: {
        'v.csv': `origin,first,last,claimed\n${all.map((first, n) => `https://${n}.example,${first},2026-04-01 10:00 ET,true\n`).join('')}`,
      },
    }),
  says: all.map(
    (first, n) =>
      `data/sources/verified-list/2026-05-01/v.csv:${n + 2}: first ${first === '' ? '' : `${JSON.stringify(first)} `}is not an existing time, YYYY-MM-DD HH:MM ET`,
  ),
});

export const values: readonly BadInput[] = [
  ...numerics(
    {type: 'integer'},
    {
      ...LOSSY,
      'out of range': ['9007199254740992', '-9007199254740992', '-9223372036854775808', '99999999999999999999'],
      id: ['12E4'],
      point: ['1.0', '1.5', '1e3', '1.5e3'],
      other: ['0x10', '1_000', '1 5', 'one', '--1', '1; DROP TABLE x'],
    },
  ),
  ...numerics(
    {type: 'number'},
    {
      ...LOSSY,
      id: ['12E4'],
      digits: ['1e400', '1e-400', '12345678901234567.89'],
      other: ['0x10', '1_000', '1.2.3', 'e5', '1e', '١'],
    },
  ),
  ...numerics({type: 'number', scale: 2}, {...LOSSY, other: ['x']}),
  ...[
    ['1.1', '1.10'],
    ['1.10', '1.1'],
    ['2', '2.0'],
    ['-7.00', '-7'],
    ['1e3', '1000'],
    ['0.0012', '1.2e-3'],
  ].map(([value = '', before = '']) => equal(value, before)),
  valuedAll('booleans', {type: 'boolean'}, [
    ...['yes', 'no', 'T', 'tRUE', '2', ' true'].map(value => [value, 'is not a boolean: true or false'] as const),
    ['null', 'is not a boolean but looks like a missing value'],
  ]),
  valuedAll(
    'dates',
    {type: 'date'},
    [
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-1-2',
      '01/02/2026',
      '2026-01-01T00:00:00Z',
      '20260101',
      'infinity',
      'today',
    ].map(value => [value, 'is not a date that exists, YYYY-MM-DD'] as const),
  ),
  valuedAll(
    'datetimes',
    {type: 'datetime'},
    [
      '2026-02-30T10:00:00',
      '2026-01-01T25:00:00',
      '2026-01-01T24:00:00Z',
      '2026-01-01T10:00:60Z',
      '2026-01-01 10:00:00',
      '2026-01-01',
      '2026-01-01T10:00',
      '2026-01-01T10:00:00+99:00',
      'now',
      '1767225600',
    ].map(value => [value, 'is not an existing time, YYYY-MM-DDThh:mm:ss'] as const),
  ),
  valued(
    'a text that does not match its pattern',
    {type: 'string', constraints: {pattern: '[a-z]+'}},
    'abc1',
    'deny-list.csv:2: x "abc1" does not match [a-z]+',
  ),
  valued(
    'a number that does not match its pattern',
    {type: 'integer', constraints: {pattern: '[0-9]{4}'}},
    '12',
    'deny-list.csv:2: x "12" does not match [0-9]{4}',
  ),
  valued(
    'a number that is not in its enum',
    {type: 'integer', constraints: {enum: [1, 2]}},
    '3',
    'deny-list.csv:2: x "3" is not one of 1, 2',
  ),
  valued(
    'a required value that is missing',
    {type: 'integer', constraints: {required: true}},
    '',
    'deny-list.csv:2: x is missing',
  ),
  moments([
    '2026-02-30 10:00 ET',
    '2026-04-31 10:00 ET',
    '2026-01-01 24:00 ET',
    '2026-01-01 10:60 ET',
    '2026-1-2 10:00 ET',
    '2026-01-01 1:00 ET',
    '2026-01-01 10:00',
    '2026-01-01 10:00 UTC',
    '2026-01-01 10:00 et',
    '2026-01-01T10:00 ET',
    '2026-01-01 10:00:00 ET',
    '2026-01-01  10:00 ET',
    ' 2026-01-01 10:00 ET',
    '2026-01-01 10:00 ET ',
    '02026-01-01 10:00 ET',
    '-001-01-01 10:00 ET',
    '',
    "2026-01-01 10:00 ET' OR 1=1 --",
  ]),
  {
    name: 'a claim that is missing',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {'v.csv': 'origin,first,last,claimed\nhttps://a.example,2026-04-01 10:00 ET,2026-04-01 10:00 ET,\n'},
      }),
    says: 'data/sources/verified-list/2026-05-01/v.csv:2: claimed is missing, and data/products/first-last-same.json needs it',
  },
  {
    name: 'verifications that are not web addresses',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {'v.csv': 'origin,first,last,claimed\na.example,2026-04-01 10:00 ET,2026-04-01 10:00 ET,true\n'},
      }),
    says: 'data/sources/verified-list/2026-05-01/v.csv:2: origin "a.example" is not an absolute web address',
  },
  claim('listed', 'boolean', 'true'),
  claim('listed', 'string', 'true'),
  claim('listed', 'string', 'TRUE'),
  claim('listed', 'integer', '1'),
  claim('settle_success', 'boolean', 'true'),
  claim('settle_success', 'string', 'True'),
  {
    name: 'a claim of a listing in a verified list',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {
          'v.csv':
            'origin,first,last,claimed,listed\nhttps://a.example,2026-04-01 10:00 ET,2026-04-01 10:00 ET,true,true\n',
        },
        schema: {...VERIFIED_SCHEMA, fields: [...VERIFIED_SCHEMA.fields, {name: 'listed', type: 'boolean'}]},
      }),
    says: 'data/sources/verified-list/2026-05-01/v.csv:2: listed "true" claims a listing or a settlement, which no document may do',
  },
  list(
    'more than twenty bad rows, and counts those it does not show',
    `url,class\n${Array.from({length: 25}, (_, i) => `https://${i}.example/,ded\n`).join('')}`,
    [
      'deny-list.csv:2: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:3: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:4: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:5: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:7: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:8: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:9: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:10: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:11: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:12: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:13: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:14: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:15: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:16: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:17: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:18: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:19: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:20: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:21: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      '… and 5 more',
    ],
  ),
  list(
    'many faults of many kinds, and shows the first by line',
    `url,class\n${Array.from({length: 30}, (_, i) => [`https://a.example/,dead\n`, `,dead\n`, `https://${i}.example/\n`, `https://${i}.example/,ded\n`, `https://${i}.example/,dead,more\n`][i % 5] ?? '').join('')}`,
    [
      'deny-list.csv:3: url is missing',
      'deny-list.csv:4: row "https://2.example/" has too few values',
      'deny-list.csv:5: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:6: row "https://4.example/,dead,more" has too many values',
      'deny-list.csv:7: url "https://a.example/" occurs twice: first in line 2',
      'deny-list.csv:8: url is missing',
      'deny-list.csv:9: row "https://7.example/" has too few values',
      'deny-list.csv:10: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:11: row "https://9.example/,dead,more" has too many values',
      'deny-list.csv:12: url "https://a.example/" occurs twice: first in line 2',
      'deny-list.csv:13: url is missing',
      'deny-list.csv:14: row "https://12.example/" has too few values',
      'deny-list.csv:15: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:16: row "https://14.example/,dead,more" has too many values',
      'deny-list.csv:17: url "https://a.example/" occurs twice: first in line 2',
      'deny-list.csv:18: url is missing',
      'deny-list.csv:19: row "https://17.example/" has too few values',
      'deny-list.csv:20: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:21: row "https://19.example/,dead,more" has too many values',
      'deny-list.csv:22: url "https://a.example/" occurs twice: first in line 2',
      '… and 9 more',
    ],
  ),
  {
    name: 'a paid document of more than 25 MiB',
    breaks: async site => {
      await site.freeze({
        ...DENY,
        files: {
          'deny-list.csv': `url,class\n${Array.from({length: 14_000}, (_, i) => `https://${i}.example/${'x'.repeat(1900)},soft_fail\n`).join('')}`,
        },
      });
      await site.write('data/products/soft-fail-3.json', {
        title: 'Soft Fail 3',
        kind: 'class-share',
        price: '$0.02',
        source: 'deny-list',
        class: 'soft_fail',
        difference: 'x',
        max_rows: 20_000,
      });
    },
    says: 'data/products/soft-fail-3.json:8: max_rows is missing or too high: the paid document has 27695588 bytes, and hosts accept at most 26214400',
  },
];
