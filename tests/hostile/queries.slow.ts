import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {promisify} from 'node:util';
import {QueryProcess} from '../../build/kinds/query/process.ts';
import {readFreezes, type Freeze} from '../../build/read/freezes.ts';
import {priceOf} from '../../shared/price.ts';
import {DENY_SCHEMA, emptySite, type SiteFixture} from '../build/site-fixture.ts';

const PRODUCT = {
  title: 'Dead Share',
  kind: 'query',
  price: '$0.05',
  source: 'deny-list',
  rows: 'SELECT url FROM rows ORDER BY url',
  difference: 'lists addresses',
};

type Freezes = ReadonlyMap<string, Freeze>;

async function querySite(): Promise<SiteFixture> {
  const site = await emptySite();
  const schema = {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'user', type: 'string'}]};
  const files = {'deny-list.csv': 'url,class,user\nhttps://c.example/,dead,x\nhttps://a.example/,dead,x\n'};
  await site.freeze({source: 'deny-list', schema, files});
  return site;
}

const UNSURE = /can return a different result at another time/;
const BY_TEXT = /needs a text in quotation marks as its second argument/;
const NO_TABLE = /is not a table of this product/;
/** An interrupt waits for the end of a vector. */
const SLOW = "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000)) AS n";
const deep = (open: string, close: string, times: number) => `SELECT ${open.repeat(times)}1${close.repeat(times)} AS n`;

/** SQL of a publisher that must be refused, and the expected message. */
const refused: readonly (readonly [sql: string, says: RegExp])[] = [
  ['SELECT count(*) AS n FROM pg_settings', NO_TABLE],
  ['SELECT count(*) AS n FROM (WITH duckdb_settings AS (SELECT 1) FROM duckdb_settings), duckdb_settings', NO_TABLE],
  ['WITH duckdb_settings AS (FROM duckdb_settings) SELECT count(*) AS n FROM duckdb_settings', NO_TABLE],
  ['WITH a AS (FROM b), b AS (SELECT 1) SELECT count(*) AS n FROM a', NO_TABLE],
  ['WITH RECURSIVE pg_type AS (FROM pg_type UNION FROM pg_type) SELECT count(*) AS n FROM pg_type', NO_TABLE],
  ['SELECT 1 AS n UNION ALL (WITH pg_type AS (SELECT 1) FROM pg_type) UNION ALL SELECT oid FROM pg_type', NO_TABLE],
  ['SELECT (SELECT count(*) FROM duckdb_settings) AS n', NO_TABLE],
  ['SELECT count(*) AS n FROM system.main.duckdb_settings', NO_TABLE],
  // A Kelvin sign. Its small letter is a k in Unicode, but not in DuckDB.
  ['WITH "duc\u212adb_databases" AS (SELECT 1) SELECT count(*) AS n FROM duckdb_databases', NO_TABLE],
  ["SELECT count(*) AS n FROM (SELECT COLUMNS('.*') FROM duckdb_settings())", /cannot be used in FROM/],
  ["SELECT json_serialize_plan('SELECT now()') AS n", UNSURE],
  ['SELECT list_distinct([1, 2]) AS n', UNSURE],
  ['SELECT list(DISTINCT url) AS n FROM rows', /list\(DISTINCT …\) does not specify an order/],
  ["SELECT string_agg(DISTINCT url, ',') OVER () AS n FROM rows", /does not specify an order/],
  ['SELECT [1, 2].array_distinct() AS n', UNSURE],
  ["SELECT list_aggregate([1, 2], 'su' || 'm') AS n", BY_TEXT],
  ["SELECT list_aggregate([1, 2], (SELECT 'random')) AS n", BY_TEXT],
  ["SELECT [1, 2].array_aggr('Histogram') AS n", UNSURE],
  ['SELECT main.now()::VARCHAR AS n', UNSURE],
  ['SELECT "Version"() AS n', UNSURE],
  ['SELECT url.hash() AS n FROM rows LIMIT 1', UNSURE],
  ['SELECT json_group_array(url) AS n FROM rows', UNSURE],
  ["SELECT list_transform([1], lambda x: current_setting('home_directory')) AS n", UNSURE],
  ["SELECT parse_filename('a/b') AS n", UNSURE],
  ['SELECT now() OVER () AS n', UNSURE],
  // The last digits differ on ARM, because the processor multiplies and adds in one step.
  ['SELECT stddev(n) AS n FROM range(9) r(n)', UNSURE],
  ["SELECT list_aggregate([1, 2], 'var_pop') AS n", UNSURE],
  ['SELECT quantile_cont(n, 0.3) AS n FROM range(9) r(n)', UNSURE],
  ['SELECT fill(n) OVER (ORDER BY n) AS n FROM range(9) r(n)', UNSURE],
  ["SELECT '2026-01-01'::TIMESTAMPTZ::VARCHAR AS n", /TIMESTAMP WITH TIME ZONE is not a type/],
  ["SELECT '[]'::STRUCT(a TIMETZ[])::VARCHAR AS n", /TIME WITH TIME ZONE is not a type/],
  [`SELECT from_json('"2026-01-01"', '"TIMESTAMPTZ"')::VARCHAR AS n`, /TIMESTAMPTZ is not a type/],
  [`SELECT json_transform('{}', '{"a": ["STRUCT(b TIMETZ)"]}')::VARCHAR AS n`, /STRUCT\(b TIMETZ\) is not a type/],
  [`SELECT from_json_strict('1', '"TIME' || 'TZ"')::VARCHAR AS n`, BY_TEXT],
  ["SELECT strptime('2026 Europe/Berlin', '%Y %Z')::VARCHAR AS n", UNSURE],
  ["SELECT try_strptime('2026 +01', ['%Y', '%Y %z'])::VARCHAR AS n", UNSURE],
  ["SELECT strptime('2026 UTC', '%Y %' || 'Z')::VARCHAR AS n", BY_TEXT],
  ['SELECT user AS n', UNSURE],
  ['SELECT (SELECT "User") AS n FROM rows LIMIT 1', UNSURE],
  ['SELECT 1e309 > 1 AS n', /a number that is too large for a DOUBLE/],
  ["SELECT repeat('x', 30000000) AS n", /figures results in 30000010 bytes, and hosts accept at most 26214400/],
  ["SELECT 'rows'::regclass::VARCHAR AS n", /regclass is not a type/],
  ['SELECT cuont(url) AS n FROM rows', /Scalar Function with name cuont does not exist/],
  [deep('{a: ', '}', 100), /n is nested more than 16 deep/],
  [deep('(SELECT ', ')', 900), /nested too deeply|needs more|Error/],
  ["SELECT format('{:1000000000}', 1) AS n", /needs more than the 1GB of memory/],
  ["SELECT length(repeat('x', 9000000000)) AS n", /Out of Range Error/],
  ['SELECT range(0, 9223372036854775807) AS n', /Invalid Input Error/],
];

test('a query that reads forbidden data or exceeds a limit is refused with one line about its product', async () => {
  await using site = await querySite();
  const freezes = await freezesOf(site);
  const queries = new QueryProcess();
  try {
    for (const [figures, says] of refused) {
      const {message} = await ask(queries, freezes, figures).then(
        () => assert.fail(figures),
        (error: unknown) => error as Error,
      );
      assert.match(message, says, figures);
      assert.match(message, /^data\/products\/p\.json(:\d+)?: (figures|rows) .*$/, figures);
    }
  } finally {
    queries.close();
  }
});

test('a build that refuses a query ends with one line about it', async () => {
  await using site = await querySite();
  for (const [figures, says] of [
    ['SELECT now() OVER () AS n', UNSURE],
    ['SELECT 1 AS n\0', /has the invisible character U\+0000 at position 14/],
  ] as const) {
    await site.write('data/products/dead-share.json', {...PRODUCT, figures});
    const {code, err} = await site.build('--check');
    assert.equal(code, 1, figures);
    assert.match(err, says, figures);
    assert.match(err, /^data\/products\/dead-share\.json(:\d+)?: figures .*\n$/, figures);
  }
});

test('a query that takes too long, uses too much memory or ends its process is stopped, and the next one runs', async () => {
  await using site = await querySite();
  const freezes = await freezesOf(site);
  const stopped = async (limits: {bytes?: number; ms?: number}, asked: readonly [string, string?], says: RegExp) => {
    const queries = new QueryProcess({bytes: 1e12, ms: 600_000, ...limits});
    const count = async () => {
      const {content} = await ask(queries, freezes, 'SELECT count(*) AS n FROM rows');
      assert.deepEqual(content.figures, {n: 2});
    };
    try {
      const others = await children();
      await count();
      const failed = assert.rejects(ask(queries, freezes, ...asked), says);
      const own = (await children()).filter(pid => !others.includes(pid));
      if (limits.bytes === undefined && limits.ms === undefined) for (const pid of own) process.kill(pid, 'SIGSEGV');
      await failed;
      await count();
    } finally {
      queries.close();
    }
  };
  // The memory that a function allocates itself is not counted.
  const large = "SELECT length(lpad('x', 700000000, 'y')) AS n ORDER BY 1";
  await stopped({ms: 1000}, [SLOW], /p\.json: figures takes longer than 60 seconds/);
  await stopped({bytes: 300e6}, ['SELECT 1 AS n', large], /p\.json: rows needs more than the 1GB of memory/);
  await stopped({}, [SLOW], /p\.json: figures ended the process that ran it \(SIGSEGV\)/);
});

test('one process answers over several tables, one after the other', async () => {
  await using site = await querySite();
  const first = await freezesOf(site);
  await site.freeze({
    source: 'deny-list',
    date: '2026-06-01',
    schema: DENY_SCHEMA,
    files: {'deny-list.csv': 'url,class\nhttps://d.example/,dead\n'},
  });
  const second = new Map((await readFreezes(site.root, 'deny-list')).slice(-1).map(freeze => ['later', freeze]));
  const others = await children();
  const queries = new QueryProcess();
  try {
    const counts = [];
    for (const [table, freezes] of [
      ['rows', first],
      ['later', second],
      ['rows', first],
    ] as const) {
      const {content} = await ask(
        queries,
        freezes,
        `SELECT count(*) AS n FROM ${table}`,
        `SELECT url FROM ${table} ORDER BY url`,
      );
      counts.push(content.figures);
    }
    assert.deepEqual(counts, [{n: 2}, {n: 1}, {n: 2}]);
    assert.equal((await children()).filter(pid => !others.includes(pid)).length, 1);
    await assert.rejects(
      ask(queries, first, 'SELECT count(*) AS n FROM later'),
      /"later" is not a table of this product/,
    );
  } finally {
    queries.close();
  }
});

test(
  'a process for queries does not keep the tables that it replaced in memory',
  {skip: process.platform !== 'linux' && 'reads /proc'},
  async () => {
    await using site = await emptySite();
    const lines = Array.from({length: 300_000}, (_, at) => `https://a${at}.example/${'x'.repeat(100)},dead\n`);
    const files = {'deny-list.csv': `url,class\n${lines.join('')}`};
    await site.freeze({source: 'deny-list', schema: DENY_SCHEMA, files});
    const others = await children();
    const queries = new QueryProcess();
    const megabytes: number[] = [];
    try {
      for (let at = 0; at < 10; at++) {
        // Most rows are not read.
        await ask(queries, await freezesOf(site), 'SELECT count(*) AS n FROM rows');
        const [pid = 0] = (await children()).filter(child => !others.includes(child));
        const status = await readFile(`/proc/${pid}/status`, 'latin1');
        megabytes.push(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000);
      }
    } finally {
      queries.close();
    }
    assert.ok(Math.max(...megabytes) - Math.min(...megabytes) < 200, megabytes.join(' '));
  },
);

test('tables that cannot be loaded a second time do not refuse a product over others', async () => {
  await using site = await querySite();
  const first = await freezesOf(site);
  await site.freeze({
    source: 'others',
    schema: DENY_SCHEMA,
    files: {'others.csv': 'url,class\nhttps://d.example/,dead\n'},
  });
  const others = new Map((await readFreezes(site.root, 'others')).map(freeze => ['rows', freeze]));
  const queries = new QueryProcess();
  try {
    await ask(queries, first, 'SELECT 1 AS n');
    await rm(join(site.root, 'data/sources/deny-list'), {recursive: true});
    await assert.rejects(ask(queries, first, 'SELECT max_by(url, class) AS n FROM rows'), /IO Error/);
    assert.deepEqual((await ask(queries, others, 'SELECT count(*) AS n FROM rows')).content.figures, {n: 1});
  } finally {
    queries.close();
  }
});

test('a process for queries ends with its parent, also during a query or while it starts', async () => {
  await using site = await querySite();
  const freezes = await freezesOf(site);
  const starting = new QueryProcess();
  const unanswered = assert.rejects(ask(starting, freezes, 'SELECT 1 AS n'), /ended the process that ran it/);
  starting.close();
  await unanswered;
  const queries = new QueryProcess();
  await ask(queries, freezes, 'SELECT 1 AS n');
  const failed = assert.rejects(ask(queries, freezes, SLOW), /figures ended the process that ran it \(SIGKILL\)/);
  queries.close();
  await failed;
});

test(
  'a process for queries gets no secret in the environment',
  {skip: process.platform !== 'linux' && 'reads /proc'},
  async t => {
    process.env['FROZEN_BUYER_KEY'] = 'a secret';
    t.after(() => delete process.env['FROZEN_BUYER_KEY']);
    await using site = await querySite();
    const freezes = await freezesOf(site);
    const queries = new QueryProcess();
    try {
      const others = await children();
      await ask(queries, freezes, 'SELECT 1 AS n');
      const [pid, ...more] = (await children()).filter(child => !others.includes(child));
      assert.ok(pid !== undefined && more.length === 0);
      const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').filter(Boolean);
      const names = variables.map(variable => variable.split('=')[0] ?? '');
      const allowed = /^(PATH|TMPDIR|TMP|TEMP|NODE_CHANNEL_.*)$/;
      assert.deepEqual([names.includes('PATH'), names.filter(name => !allowed.test(name))], [true, []]);
    } finally {
      queries.close();
    }
  },
);

test('a query that needs too much memory only for an earlier freeze fails the build with the name of the frozen file', async () => {
  await using site = await emptySite();
  const schema = {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'n', type: 'integer'}]};
  for (const [date, n] of [
    ['2026-04-01', 1_500_000_000],
    ['2026-05-01', 3],
  ] as const)
    await site.freeze({
      source: 'deny-list',
      date,
      schema,
      files: {'deny-list.csv': `url,class,n\nhttps://c.example/,dead,${n}\n`},
    });
  const figures = "SELECT length(lpad('x', max(n)::INTEGER, 'y')) AS n FROM rows";
  await site.write('data/products/dead-share.json', {...PRODUCT, examples: 1, figures});
  const {code, err} = await site.build();
  assert.equal(code, 1);
  assert.equal(
    err.replace(/json:\d+:/, 'json:'),
    'data/products/dead-share.json: figures over the earlier freeze data/sources/deny-list/2026-04-01/deny-list.csv (as_of 2026-04-01T12:00:00.000Z) needs more than the 1GB of memory that a query has\n',
  );
});

test('temporary files are removed with the process that wrote them, however it ended', async t => {
  await using site = await querySite();
  const folder = await mkdtemp(join(tmpdir(), 'queries-'));
  const {TMPDIR} = process.env;
  process.env['TMPDIR'] = folder;
  t.after(async () => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    await rm(folder, {recursive: true});
  });
  for (const end of ['SIGKILL', 'close'] as const) {
    const freezes = await freezesOf(site);
    const queries = new QueryProcess();
    const others = await children();
    await ask(queries, freezes, 'SELECT 1 AS n');
    assert.equal((await readdir(folder)).length, 1);
    const failed = assert.rejects(ask(queries, freezes, SLOW), /SIGKILL/);
    const [pid] = (await children()).filter(pid => !others.includes(pid));
    assert.ok(pid !== undefined);
    if (end === 'close') queries.close();
    else process.kill(pid, end);
    await failed;
    assert.deepEqual(await readdir(folder), []);
  }
});

test('a machine that cannot start a process is reported in one line', async t => {
  await using site = await querySite();
  await site.write('data/products/dead-share.json', {...PRODUCT, figures: 'SELECT 1 AS n'});
  await site.write('data/products/live-share.json', {...PRODUCT, title: 'Live Share', figures: 'SELECT 1 AS n'});
  const own = process.execPath;
  t.after(() => (process.execPath = own));
  process.execPath = '/nowhere';
  const {code, err} = await site.build('--check');
  assert.equal(code, 1);
  assert.match(err, /^data\/products\/dead-share\.json: The process for queries cannot be started \(ENOENT\)\n$/);
});

async function freezesOf({root}: SiteFixture) {
  return new Map((await readFreezes(root, 'deny-list')).map(freeze => ['rows', freeze]));
}

function ask(queries: QueryProcess, freezes: Freezes, figures: string, rows = PRODUCT.rows) {
  const product = {
    ...PRODUCT,
    ...{figures, rows, file: 'data/products/p.json', name: 'p', namedBy: 'title' as const},
    ...{price: priceOf('$0.05'), siblings: [], examples: 1, max_rows: 10, formats: ['json'] as const},
  };
  return queries.answer(product, freezes);
}

/** Returns the child processes for queries, compiled or not. */
async function children(): Promise<number[]> {
  const {stdout} = await promisify(execFile)('pgrep', [
    '-P',
    String(process.pid),
    '-f',
    'child-process|query-process',
  ]).catch(() => ({
    stdout: '',
  }));
  return stdout.split('\n').filter(Boolean).map(Number);
}
