import assert from 'node:assert/strict';
import {tmpdir} from 'node:os';
import {test} from 'node:test';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {databaseAt} from '../../paywall/ledger/postgres.ts';
import {startPostgres} from '../ledger/postgres-server.ts';
import {fillLedger} from './filled-ledger.ts';
import {run} from './run.ts';

interface Json {
  readonly figures: {
    readonly totals: readonly {readonly network: string; readonly currency: string; readonly net: string}[];
  };
}

test('lists the sales in Postgres for a user with read access only, and creates nothing in an empty database', async () => {
  await using server = await startPostgres();
  const url = await server.makeDatabase();
  const empty = await run('sales', '--root', tmpdir(), '--ledger-url', url);
  assert.equal(empty.code, 1);
  assert.match(
    empty.err,
    /^The ledger postgres:\/\/127\.0\.0\.1:\d+\/ledger_\w+ cannot be opened: it is not a ledger\n$/,
  );
  const database = databaseAt(url);
  assert.deepEqual(await database.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), []);
  const ledger = await openLedger('/', url);
  await fillLedger(ledger);
  await database.query('CREATE ROLE reader LOGIN');
  await database.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
  const {out, err} = await run(
    'sales',
    '--root',
    tmpdir(),
    '--json',
    '--ledger-url',
    url.replace('postgres@', 'reader@'),
  );
  const {totals} = (JSON.parse(out) as Json).figures;
  const nets = totals.map(({network, currency, net}) => `${network} ${currency} ${net}`);
  assert.deepEqual(nets, ['eip155:84532 USDC 0.19', 'eip155:8453 USDC 0.15', 'eip155:84532  7'], err);
  await Promise.all([ledger.close(), database.close()]);
});
