import assert from 'node:assert/strict';
import {
  CLASS_SHARE,
  emptySite,
  EVENT_BUNDLE,
  SAME_TIMESTAMPS,
  SITE,
  VERIFIED_SCHEMA,
  type SiteFixture,
} from './site-fixture.ts';

const FIELDS = [
  {name: 'url', type: 'string', constraints: {pattern: 'https?://.*'}},
  {name: 'class', type: 'string', constraints: {required: true, enum: ['dead', 'soft_fail']}},
  ...['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'object', 'array'].flatMap(type => [
    {name: `${type}_may_lack`, type},
    {name: `${type}_given`, type, title: type, unit: 'x', constraints: {required: true}},
  ]),
  {name: 'decimal_may_lack', type: 'number', scale: 2},
  {name: 'decimal_given', type: 'number', scale: 0, constraints: {required: true}},
];

/** A value of each type. */
const VALUES: Readonly<Record<string, unknown>> = {
  string: 'a text',
  integer: 7,
  number: 0.5,
  boolean: true,
  date: '2026-04-30',
  datetime: '2026-04-30T12:00:00Z',
  object: {a: 1, b: [null]},
  array: [1, 'a', {b: null}],
};

const row = (url: string, kind: string, isWhole: boolean) => ({
  ...{url: `https://${url}.example/`, class: kind},
  ...Object.fromEntries(
    Object.entries(VALUES).flatMap(([type, value]) => [
      [`${type}_may_lack`, isWhole ? value : null],
      [`${type}_given`, value],
    ]),
  ),
  ...{decimal_may_lack: isWhole ? 1.25 : null, decimal_given: 12},
});

/** SQL of a value of each type that documents have. */
const SQL = {
  tiny: '1::TINYINT',
  big: '9007199254740993::BIGINT',
  unsigned: '1::UBIGINT',
  huge: 'integer_given::HUGEINT',
  exact: '1.50::DECIMAL(9, 2)',
  real: '0.5::DOUBLE',
  truth: 'true',
  word: "'a'",
  uuid: "'00000000-0000-4000-8000-000000000000'::UUID",
  hour: "'12:00:00'::TIME",
  day: "DATE '2026-04-30'",
  moment: "TIMESTAMP '2026-04-30 12:00:00.5'",
  any: `'{"a": [1, null]}'::JSON`,
  days: "[DATE '2026-04-30', NULL]",
  nested: "{big: 1::BIGINT, days: [DATE '2026-04-30'], below: {huge: NULL::HUGEINT}}",
  map: "map {'a': 1::BIGINT, 'b': NULL}",
} as const;

const columns = Object.entries(SQL).flatMap(([name, sql]) => [
  `${sql} AS ${name}`,
  `CASE WHEN class = 'dead' THEN ${sql} END AS ${name}_or_null`,
]);
const ofOneRow = Object.entries(SQL).flatMap(([name, sql]) => [
  `any_value(${sql}) AS ${name}`,
  `any_value(CASE WHEN false THEN ${sql} END) AS ${name}_or_null`,
]);
const figures =
  'SELECT count(*) AS rows_n, 0.5::DOUBLE AS a_ratio, 1.50::DECIMAL(9, 2) AS price_mean, max(date_given) AS last_day FROM rows';
const query = {kind: 'query', price: '$0.05', source: 'typed-list', figures, difference: 'describes all of a list'};
const formats = ['json', 'csv', 'parquet'];

/** Products of every kind over columns of every type. */
const PRODUCTS = [
  {...CLASS_SHARE, source: 'typed-list', formats, parts: 1, every: 'month'},
  {
    ...CLASS_SHARE,
    title: 'Grouped',
    source: 'typed-list',
    by: 'string_may_lack',
    class: ['dead', 'soft_fail'],
    as: 'both',
  },
  {
    ...CLASS_SHARE,
    title: 'Truths',
    source: 'typed-list',
    column: 'boolean_may_lack',
    class: true,
    as: 'true',
    by: 'boolean_given',
  },
  {
    ...CLASS_SHARE,
    title: 'Numbers',
    source: 'typed-list',
    key: 'integer_given',
    columns: ['date_may_lack'],
    listed: undefined,
  },
  {...SAME_TIMESTAMPS, formats},
  EVENT_BUNDLE,
  {...query, title: 'Rows', rows: `SELECT *, ${columns.join(', ')} FROM rows ORDER BY url`, formats},
  {...query, title: 'Report', document: `SELECT ${ofOneRow.join(', ')} FROM rows`, listed: false},
  {...query, title: 'Nothing', rows: `SELECT url, ${columns.join(', ')} FROM rows WHERE false ORDER BY url`, formats},
  {title: 'All', kind: 'bundle', price: '$0.50', bundle: ['softfail3', 'grouped', 'rows', 'report', 'webhookbundle'], next: 2, difference: 'sells what comes'}, // prettier-ignore
];

/** Makes and builds a site with products of every kind over columns of every type, with two freezes. */
export async function everyTypeSite(): Promise<SiteFixture> {
  const site = await emptySite();
  await site.write('data/site.json', {...SITE, hosts: ['cloudflare']});
  for (const [date, ...kinds] of [
    ['2026-05-01', 'dead'],
    ['2026-06-01', 'dead', 'soft_fail', 'dead'],
  ]) {
    const lines = kinds.map((kind, index) => JSON.stringify(row(`${index}`, kind, index === 0)));
    await site.freeze({
      ...{source: 'typed-list', date: date ?? '', files: {'list.ndjson': `${lines.join('\n')}\n`}, format: 'ndjson'},
      schema: {fields: FIELDS, primaryKey: ['url']},
    });
  }
  const stamp = '2026-01-01 10:00 ET';
  await site.freeze({
    ...{source: 'verified-list', schema: VERIFIED_SCHEMA},
    files: {'list.csv': `origin,first,last,claimed\nhttps://a.example,${stamp},${stamp},true\n`},
  });
  const event = {type: 'payment_required', payload: {sku: 'softfail3', http_status: 402, settle_success: false}};
  await site.freeze({source: 'webhook-events', files: {'events.json': JSON.stringify([event])}, format: 'json'});
  for (const product of PRODUCTS) await site.write(`data/products/${product.title.replaceAll(' ', '-')}.json`, product);
  const {code, err} = await site.build();
  assert.deepEqual([code, err], [0, '']);
  return site;
}
