import assert from 'node:assert/strict';
import {test} from 'node:test';
import {errorLine, jsonErrors} from '../json-errors.ts';
import {unsteadyRule} from '../../build/kinds/query/row-order.ts';
import {emptySite, type SiteFixture} from './site-fixture.ts';
import {readOutput} from './tree.ts';

const PRODUCT = {
  title: 'Areas',
  kind: 'query',
  price: '$0.05',
  source: 'countries',
  examples: 0,
  figures: 'SELECT count(*) AS rows_n FROM rows',
  rows: 'SELECT name FROM rows ORDER BY name',
  difference: 'ranks countries',
};

const FIELDS = [
  {name: 'name', type: 'string'},
  {name: 'region', type: 'string'},
  {name: 'area', type: 'integer'},
  {name: 'share', type: 'number'},
];

/** Two regions. Two countries have the same area, and the last digit of the sum of shares depends on their order. */
const COUNTRIES = ['aland,north,5,0.1', 'benin,south,7,0.2', 'chad,north,5,0.3', 'doria,south,9,0.4'];

async function countries(rows: readonly string[] = COUNTRIES): Promise<SiteFixture> {
  const site = await emptySite();
  await freeze(site, rows);
  return site;
}

function freeze(site: SiteFixture, rows: readonly string[], date = '2026-05-01'): Promise<void> {
  const files = {'countries.csv': `name,region,area,share\n${rows.join('\n')}\n`};
  return site.freeze({source: 'countries', date, schema: {fields: FIELDS, primaryKey: ['name']}, files});
}

const TWICE = 'is not reproducible: with its tables in another order,';
const BY_KEY =
  'End each ORDER BY, also in windows, with columns in which all rows differ. Add an ORDER BY inside first(), list(), string_agg() and similar functions.';
const EXACTLY = 'Add decimals, as in sum(x::DECIMAL(18, 4)), or round the result.';

/** Queries that depend on the order of rows, the message about each, and the same query with its own order. */
const ANSWERS: readonly {field: 'figures' | 'rows'; loose: string; says: string; fix?: string; tight: string}[] = [
  {
    field: 'rows',
    loose: 'SELECT name, row_number() OVER (ORDER BY area) AS rank FROM rows ORDER BY name',
    says: 'column rank of row 1 (name "aland") is 2, not 1',
    tight: 'SELECT name, row_number() OVER (ORDER BY area, name) AS rank FROM rows ORDER BY name',
  },
  {
    field: 'rows',
    loose: 'SELECT name, lag(name, 1, name) OVER (ORDER BY area) AS before FROM rows ORDER BY name DESC',
    says: 'column before of row 2 (name "chad") is "chad", not "aland"',
    tight: 'SELECT name, lag(name, 1, name) OVER (ORDER BY area, name) AS before FROM rows ORDER BY name DESC',
  },
  {
    field: 'rows',
    loose: 'SELECT * FROM (SELECT name FROM rows ORDER BY area LIMIT 1) ORDER BY name',
    says: 'column name is "chad", not "aland"',
    tight: 'SELECT * FROM (SELECT name FROM rows ORDER BY area, name LIMIT 1) ORDER BY name',
  },
  {
    field: 'rows',
    loose: 'SELECT region, any_value(name) AS one FROM rows WHERE area < 9 GROUP BY region ORDER BY region',
    says: 'column one of row 1 (region "north") is "chad", not "aland"',
    tight: 'SELECT region, min(name) AS one FROM rows WHERE area < 9 GROUP BY region ORDER BY region',
  },
  {
    field: 'rows',
    loose:
      'SELECT name FROM rows QUALIFY row_number() OVER (PARTITION BY region ORDER BY name) = 1 AND (FROM (SELECT first(name) FROM rows)) = name ORDER BY name',
    says: 'it returns 0 rows, not 1',
    tight: 'SELECT name FROM rows QUALIFY row_number() OVER (PARTITION BY region ORDER BY name) = 1 ORDER BY name',
  },
  {
    field: 'figures',
    loose: 'SELECT first(name) AS one, count(*) AS n FROM rows',
    says: 'column one is "doria", not "aland"',
    tight: 'SELECT first(name ORDER BY name) AS one, count(*) AS n FROM rows',
  },
  {
    field: 'figures',
    loose: 'SELECT arg_max(name, region) AS one FROM rows',
    says: 'column one is "doria", not "benin"',
    tight: 'SELECT arg_max(name, (region, name)) AS one FROM rows',
  },
  {
    field: 'figures',
    loose: 'SELECT {names: list(name)} AS all_of_them FROM rows',
    says: 'column all_of_them is {"names":["doria","chad","benin","aland"]}, not {"names":["aland","benin","chad","doria"]}',
    tight: 'SELECT {names: list(name ORDER BY name)} AS all_of_them FROM rows',
  },
  {
    field: 'figures',
    loose: "SELECT string_agg(name, ' ') AS names FROM rows",
    says: 'column names is "doria chad benin aland", not "aland benin chad doria"',
    tight: "SELECT string_agg(name, ' ' ORDER BY name) AS names FROM rows",
  },
  {
    field: 'figures',
    loose: 'SELECT mode(region) AS most FROM rows',
    says: 'column most is "south", not "north"',
    tight: 'SELECT mode(region ORDER BY region) AS most FROM rows',
  },
  {
    field: 'figures',
    loose: 'SELECT (SELECT name FROM rows LIMIT 1) AS one',
    says: 'column one is "doria", not "aland"',
    tight: 'SELECT (SELECT name FROM rows ORDER BY name LIMIT 1) AS one',
  },
  {
    field: 'figures',
    loose: 'SELECT sum(share) AS total FROM rows',
    says: 'column total is 0.9999999999999999, not 1, because sums of doubles depend on the order of rows',
    fix: EXACTLY,
    tight: 'SELECT sum(share::DECIMAL(18, 4)) AS total, round(sum(share) / count(share), 6) AS mean FROM rows',
  },
  {
    field: 'figures',
    loose: 'SELECT {sums: [sum(share), 1]} AS totals FROM rows',
    says: 'column totals is {"sums":[0.9999999999999999,1]}, not {"sums":[1,1]}, because sums of doubles depend on the order of rows',
    fix: EXACTLY,
    tight: 'SELECT {sums: [sum(share::DECIMAL(18, 4)), 1]} AS totals FROM rows',
  },
];

test('a statement with a result that depends on the order of rows is refused with the column, the row and the remedy', async () => {
  await using site = await countries();
  await site.write('data/products/fine.json', {...PRODUCT, title: 'Fine'});
  await site.build();
  const before = await readOutput(site.root);
  const fileOf = (index: number) => `data/products/case-${index}.json`;
  for (const [index, {field, loose}] of ANSWERS.entries())
    await site.write(fileOf(index), {...PRODUCT, title: `Case ${index}`, [field]: loose});
  const {code, out} = await site.build('--json');
  assert.equal(code, 1);
  const lines = jsonErrors(out).map(({file, message, fix}) => `${errorLine({file: file ?? '', message})}. ${fix}`);
  for (const [index, {field, says, fix = BY_KEY}] of ANSWERS.entries())
    assert.ok(
      lines.includes(`${fileOf(index)}: ${field} ${TWICE} ${says}. ${fix}`),
      `${says} is not in\n${lines.join('\n')}`,
    );
  assert.equal(lines.length, ANSWERS.length, 'one line each');
  assert.deepEqual(await readOutput(site.root), before);
});

test('the same statement with its own order is published, with the same bytes for the same rows in another order', async () => {
  await using site = await countries();
  await using shuffled = await countries(COUNTRIES.toReversed());
  for (const [index, {field, tight}] of ANSWERS.entries())
    for (const one of [site, shuffled])
      await one.write(`data/products/case-${index}.json`, {...PRODUCT, title: `Case ${index}`, [field]: tight});
  assert.equal((await site.build()).err, '');
  assert.equal((await shuffled.build()).err, '');
  assert.deepEqual(await readOutput(shuffled.root), await readOutput(site.root));
});

test('a statement that depends on the order of rows only at an earlier freeze is refused, once', async () => {
  await using site = await emptySite();
  await freeze(site, COUNTRIES, '2026-03-01');
  await freeze(site, COUNTRIES, '2026-04-01');
  await freeze(site, COUNTRIES.slice(0, 1));
  await site.write('data/products/areas.json', {...PRODUCT, figures: 'SELECT first(name) AS one FROM rows'});
  const {code, err} = await site.build();
  assert.equal(code, 1);
  assert.equal(
    err,
    `data/products/areas.json:7: figures over the earlier freeze data/sources/countries/2026-04-01/countries.csv (as_of 2026-04-01T12:00:00.000Z) ${TWICE} column one is "doria", not "aland"\n`,
  );
});

test('the tables of several sources are tried in another order, and both statements are reported', async () => {
  await using site = await countries();
  await site.freeze({
    source: 'capitals',
    schema: {fields: [{name: 'city', type: 'string'}], primaryKey: ['city']},
    files: {'capitals.csv': 'city\nalpha\nbeta\n'},
  });
  await site.write('data/products/areas.json', {
    ...PRODUCT,
    source: undefined,
    sources: {rows: 'countries', capitals: 'capitals'},
    figures: 'SELECT first(city) AS one FROM capitals',
    rows: 'SELECT name, (SELECT last(city) FROM capitals) AS city FROM rows ORDER BY name',
  });
  const {err} = await site.build();
  const [figures = '', rows = '', ...more] = err.trimEnd().split('\n');
  assert.match(figures, /: figures is not reproducible: .* column one is "beta", not "alpha"$/);
  assert.match(rows, /: rows is not reproducible: .* column city of row 1 \(name "aland"\) is "alpha", not "beta"$/);
  assert.deepEqual(more, []);
});

test('for long values the part that differs is shown', () => {
  const [one, other] = [`${'x'.repeat(500)}one${'y'.repeat(500)}`, `${'x'.repeat(500)}two${'y'.repeat(500)}`];
  const rule = unsteadyRule({values: [{text: one}], total: 1}, {values: [{text: other}], total: 1})?.rule ?? '';
  assert.match(rule, /column text is …x{30}two(y+)…, not …x{30}one(y+)…$/);
  assert.equal(unsteadyRule({values: [{text: one}], total: 1}, {values: [{text: one}], total: 1}), undefined);
});
