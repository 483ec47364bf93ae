import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {parse} from 'yaml';
import {$} from 'zx';
import {type LocalChain, leashed} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {freePort} from '../free-port.ts';
import {rawExchange} from '../paywall/raw-exchange.ts';
import {assertSoldOnce, buy, newBuyer, openShop, path, until} from '../paywall/shop.ts';
import {PROJECT} from '../project.ts';
import {sharedChain} from '../shared-chain.ts';

const HOSTING = join(PROJECT, 'scripts/init/template/hosting');
/** How long a gate may take to stop: the time of `graceful-close.ts`, and some time to record the outcomes. */
const SECONDS_TO_STOP = 90;
const quiet = $({quiet: true});

describe('Caddy in front of the gate', {skip: missing('caddy')}, () => {
  let chain: LocalChain;
  let facilitator: Listening;
  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
  });

  test('passes a purchase on, and no path in another spelling, nor health and figures', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    const gate = await shop.start(undefined, {args: ['--admin-port', '0']});
    const front = `http://127.0.0.1:${await freePort()}`;
    const {host} = new URL(await gate.url);
    const environment = [`SITE_ADDRESS=${front}`, `GATE=${host}`, `HOME=${shop.root}`, `XDG_DATA_HOME=${shop.root}`];
    const {stop, stdout} = leashed('env', [...environment, 'caddy', 'run', '--config', join(HOSTING, 'Caddyfile')]);
    stdout.resume();
    try {
      await until(() =>
        fetch(`${front}/`).then(
          ({status}) => (status === 200 ? true : undefined),
          () => undefined,
        ),
      );
      const buyer = await newBuyer(chain);
      const bought = await buy(front + path, buyer);
      assert.deepEqual(bought.statuses, [200]);
      await assertSoldOnce(shop, chain, buyer, bought);
      for (const target of [
        '/healthz',
        '/metrics',
        '/api/v1//softfail3',
        '/api/v1/x/../softfail3',
        '/api/v1/soft%66ail3',
      ])
        assert.match(
          await rawExchange(
            front,
            `GET ${target} HTTP/1.1\r\nHost: ${new URL(front).host}\r\nConnection: close\r\n\r\n`,
          ),
          /^HTTP\/1.1 404 /,
          target,
        );
    } finally {
      await stop();
    }
  });
});

describe('the files for a server', () => {
  test('compose publishes only the ports of Caddy, and allows enough time to stop', async () => {
    const {services} = parse(await readFile(join(HOSTING, 'compose.yaml'), 'utf8')) as {
      services: Record<'gate' | 'caddy', Record<string, unknown>>;
    };
    const {gate, caddy} = services;
    assert.equal(gate['ports'], undefined);
    assert.deepEqual([gate['read_only'], gate['volumes']], [true, ['ledger:/site/ledger']]);
    assert.deepEqual(caddy['ports'], ['80:80', '443:443', '443:443/udp']);
    for (const service of [gate, caddy]) {
      assert.ok(Number.parseInt(String(service['stop_grace_period']), 10) > SECONDS_TO_STOP);
      // Docker does not start a container with `on-failure` again after the machine has restarted.
      assert.equal(service['restart'], 'unless-stopped');
    }
  });

  test('systemd accepts the unit, and rates it as well protected', {skip: missing('systemd-analyze')}, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unit-'));
    const unit = join(folder, 'frozen.service');
    const text = await readFile(join(HOSTING, 'frozen.service'), 'utf8');
    await writeFile(unit, text.replace('/srv/my-site/node_modules/.bin/frozen', process.execPath));
    const {stderr} = await quiet`systemd-analyze verify --man=no ${unit}`;
    assert.equal(stderr, '');
    await quiet`systemd-analyze security --offline=yes --threshold=20 --no-pager ${unit}`;
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) > SECONDS_TO_STOP);
    await rm(folder, {recursive: true});
  });
});

function missing(program: string): string | false {
  return spawnSync('which', [program]).status === 0 ? false : `this system has no ${program}`;
}
