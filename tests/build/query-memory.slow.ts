import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {loadTable, BY_KEY, openSession, REVERSED, type SessionOptions} from '../../build/kinds/query/session.ts';
import {readFreezes} from '../../build/read/freezes.ts';
import {openDuckDb} from '../../build/rows/duckdb.ts';
import {emptySite, type SiteFixture} from './site-fixture.ts';

const ROWS_N = 250_000;
/** Less than the rows need. */
const ROOM = '50MB';
/** This query sorts some 250 GB. */
const LARGE = `SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY lpad(a.url, 5000, 'x')) AS k FROM rows a, range(50)) WHERE k > 0`;

async function longList(): Promise<SiteFixture> {
  const site = await emptySite();
  const fields = [
    {name: 'url', type: 'string'},
    {name: 'n', type: 'integer'},
    {name: 'share', type: 'number'},
  ];
  const rows = Array.from({length: ROWS_N}, (_, n) => `https://${(n * 7) % ROWS_N}.example/,${n},${n / 7}\n`);
  await site.freeze({
    source: 'long',
    schema: {fields, primaryKey: ['url']},
    files: {'long.csv': `url,n,share\n${rows.join('')}`},
  });
  return site;
}

async function freezesOf({root}: SiteFixture) {
  return new Map((await readFreezes(root, 'long')).map(freeze => ['rows', freeze]));
}

test('a list that does not fit into memory has the same rows in the same orders, and queries do not spill more', async () => {
  await using site = await longList();
  const freezes = await freezesOf(site);
  const answersOf = async (options: SessionOptions) => {
    const scratch = await mkdtemp(join(site.root, 'scratch-'));
    const session = await openSession(freezes, scratch, options);
    const spilled = (await readdir(scratch)).length;
    const {columns, rows, total} = await session.ask('FROM rows', ROWS_N + 1);
    await assert.rejects(session.ask(`FROM '${site.root}/data/site.json'`, 1), /Permission Error|Binder Error/);
    if (options.memory !== undefined && options.order === BY_KEY.order)
      await assert.rejects(session.ask(LARGE, 1), /^Error: Out of Memory/);
    await session.close();
    return {spilled, answers: {types: columns.map(({type}) => String(type)), rows, total}};
  };
  for (const options of [BY_KEY, REVERSED]) {
    const [large, small] = [await answersOf(options), await answersOf({...options, memory: ROOM})];
    assert.deepEqual([large.spilled, small.spilled], [0, 1]);
    assert.deepEqual(small.answers.types, ['VARCHAR', 'BIGINT', 'DOUBLE']);
    assert.equal(small.answers.total, ROWS_N);
    assert.ok(JSON.stringify(small.answers) === JSON.stringify(large.answers));
  }
});

test('an error reports that temporary files do not fit either, with their folder', async () => {
  await using site = await longList();
  const [[name, freeze] = []] = await freezesOf(site);
  const scratch = join(site.root, 'not-there/scratch');
  const {connection, close} = await openDuckDb({memory_limit: ROOM, temp_directory: scratch, threads: '4'});
  const load = () => loadTable(connection, name ?? '', freeze as never, {order: 'ASC', scratch});
  const says = new RegExp(
    `^reads data/sources/long/2026-05-01, which needs more space than the memory and ${site.root}/not-there have$`,
  );
  await assert.rejects(load(), ({message}: Error) => says.test(message));
  await mkdir(join(site.root, 'not-there'));
  await connection.run("SET max_temp_directory_size = '1MB'");
  await assert.rejects(load(), ({message}: Error) => says.test(message));
  await connection.run("SET max_temp_directory_size = '9GB'");
  await load();
  assert.ok(existsSync(scratch));
  close();
});
