import fc from 'fast-check';
import {emptySite} from '../../build/site-fixture.ts';
import {assertEndedWell, buildApart} from '../ended-well.ts';
import {opened, type Target} from '../target.ts';

const LITERALS = ['NULL', '0', '1', '-1', '0.5', '1e308', '9223372036854775807', "''", "'a'", "'2026-05-01'", 'true', '[]', '[1, NULL]', "{'a': 1}", "MAP {'a': 1}", "DATE '2026-05-01'", "INTERVAL '1 month'", "'\\x00'::BLOB", 'url', 'class', 'rows', 'count(*)']; // prettier-ignore
const TYPES = ['INTEGER', 'HUGEINT', 'DOUBLE', 'VARCHAR', 'DATE', 'TIMESTAMP', 'BOOLEAN', 'VARCHAR[]', 'STRUCT(a INTEGER)', 'JSON', 'BLOB', 'DECIMAL(38, 10)', 'UUID', 'BIT', 'TIME']; // prettier-ignore
const OPERATORS = ['+', '-', '*', '/', '//', '%', '||', '=', '<', 'AND', 'OR', 'LIKE', 'IS DISTINCT FROM', '->', '&', '<<', '~', 'COLLATE', '^', '**']; // prettier-ignore

/** Expressions of DuckDB, right and wrong ones, over all functions that this version has. */
function expressions(functions: readonly string[]) {
  return fc.letrec<{one: string}>(tie => {
    const one = tie('one');
    return {
      one: fc.oneof(
        {depthSize: 'small', withCrossShrink: true},
        fc.constantFrom(...LITERALS),
        fc
          .tuple(fc.constantFrom(...functions), fc.array(one, {maxLength: 4}))
          .map(([name, args]) => `"${name}"(${args.join(', ')})`),
        fc.tuple(one, fc.constantFrom(...OPERATORS), one).map(parts => `(${parts.join(' ')})`),
        fc.tuple(one, fc.constantFrom(...TYPES)).map(([value, type]) => `TRY_CAST(${value} AS ${type})`),
        fc.tuple(one, one, one).map(([a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`),
        one.map(value => `(SELECT ${value} FROM rows LIMIT 1)`),
        one.map(value => `[x FOR x IN ${value} IF x IS NOT NULL]`),
        one.map(value => `list_transform(${value}, lambda x: x)`),
        fc.tuple(one, one).map(([value, key]) => `sum(${value}) OVER (ORDER BY ${key})`),
        fc.tuple(one, one).map(([value, index]) => `(${value})[${index}]`),
      ),
    };
  }).one;
}

const statement = (expression: fc.Arbitrary<string>) =>
  fc.oneof(
    {weight: 8, arbitrary: expression.map(one => `SELECT ${one} AS a FROM rows LIMIT 1`)},
    {weight: 2, arbitrary: expression.map(one => `WITH t AS (SELECT ${one} AS a) SELECT a FROM t`)},
    {
      weight: 1,
      arbitrary: fc.tuple(expression, expression).map(([a, b]) => `SELECT ${a} AS a FROM rows GROUP BY ${b}`),
    },
    {weight: 1, arbitrary: fc.string({unit: 'grapheme', minLength: 1})},
  );

/** For any SQL, a build ends with its documents or with a line for each product. */
export default {
  name: 'queries',
  async open() {
    const many = fc.array(statement(expressions(await functionNames())), {minLength: 1, maxLength: 16});
    return opened(fc.asyncProperty(many, tryQueries));
  },
} satisfies Target;

async function tryQueries(queries: readonly string[]): Promise<void> {
  await using site = await emptySite();
  await site.freeze({
    source: 'list',
    files: {'list.csv': 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fraud\n'},
  });
  for (const [index, figures] of queries.entries())
    await site.write(`data/products/${index}.json`, {title: `Query ${index}`, kind: 'query', price: '$0.02', source: 'list', difference: 'asks', figures, rows: 'SELECT url FROM rows ORDER BY url'}); // prettier-ignore
  assertEndedWell(await buildApart(site.root));
}

async function functionNames(): Promise<string[]> {
  const {DuckDBInstance} = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const found = await connection.runAndReadAll(`
    SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'aggregate', 'macro') AND NOT contains(function_name, '"') ORDER BY ALL
  `);
  connection.closeSync();
  return found.getRowsJson().map(([name]) => (typeof name === 'string' ? name : ''));
}
