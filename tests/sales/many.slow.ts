import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import Connection from 'libsql';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {FROZEN} from '../project.ts';
import {newSale} from '../ledger/new-sale.ts';

const SALES = 25_000;
const FIRST_AT = 1_700_000_000_000;
const APART_MS = 10_000;
/** The limit for Node's heap. The rows would need several times as much. */
const HEAP_MIB = 32;

describe('many sales', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sales-'));
    await (await openLedger(root, 'my.db')).close();
    fill(join(root, 'my.db'));
  });
  after(() => rm(root, {recursive: true}));

  for (const args of [['--csv'], []])
    test(`are read in bounded memory: ${args.join() || 'tables'}`, async () => {
      const begin = performance.now();
      const {code, lines, err} = await counted([...args, '--root', root, '--ledger-url', 'my.db']);
      console.log(`${args.join() || 'tables'}: ${Math.round(performance.now() - begin)} ms, ${lines} lines`);
      assert.equal(code, 0, err);
      assert.ok(args.length > 0 ? lines > SALES : lines < 100, `${lines} lines`);
    });
});

/** Runs the command, and counts its lines. */
async function counted(args: readonly string[]) {
  const node = [`--max-old-space-size=${HEAP_MIB}`, FROZEN, 'sales', ...args];
  const child = spawn(process.execPath, node, {stdio: ['ignore', 'pipe', 'pipe']});
  let [lines, err] = [0, ''];
  child.stderr.on('data', chunk => (err += String(chunk)));
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return {code, lines, err};
}

/** Sales over three weeks, each to another buyer. */
function fill(file: string): void {
  const {network, asset, payTo, payload, sha256, url} = newSale();
  const connection = new Connection(file);
  connection.exec(
    `INSERT INTO sales (key, network, asset, payer, pay_to, amount, nonce, valid_before, payload, product, url, sha256,
       as_of, price, later_snapshots, members, redownload_days, facilitator, proven, state, tx, started_at, settled_at, delivered_at, final_at, leased_until)
     SELECT '${network}/${asset}/0x' || substr(random, 25) || '/0x' || random, '${network}', '${asset}',
       '0x' || substr(random, 25), '${payTo}', '20000', '0x' || random, 1780000000, '${payload}', 'softfail3', '${url}',
       '${sha256}', '2026-05-01', '$0.02', 0, '[]', 30, 'x402.org', 1, 'delivered', '0x' || random,
       at, at, at, at, 0
     FROM (WITH RECURSIVE up(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM up WHERE i < ${SALES})
       SELECT ${FIRST_AT} + i * ${APART_MS} AS at, lower(hex(randomblob(32))) AS random FROM up) AS made`,
  );
  connection.close();
}
