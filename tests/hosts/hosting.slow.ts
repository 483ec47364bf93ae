import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cp, mkdir, mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import glob from 'fast-glob';
import {parse} from 'yaml';
import {$} from 'zx';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {leashed} from '../../scripts/local-chain/leashed.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {rawExchange} from '../paywall/raw-exchange.ts';
import {assertSoldOnce, buy, newBuyer, openShop, path, until} from '../paywall/shop.ts';
import {packedSite} from '../package/packed-site.ts';
import {PROJECT} from '../project.ts';
import {runScript} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';

const HOSTING = join(PROJECT, 'scripts/init/template/hosting');
/** How long a gate may take to stop: the time of `graceful-close.ts`, and some time to record the outcomes. */
const SECONDS_TO_STOP = 90;
const quiet = $({quiet: true});

describe('Caddy in front of the gate', {skip: missing('caddy')}, () => {
  let chain: Chain;
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

  test('the instructions of the Dockerfile, followed in plain folders, start a healthy gate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'image-'));
    const site = join(folder, 'context/my-site');
    await mkdir(dirname(site));
    const kinds = [{x402Version: 2, scheme: 'exact', network: 'eip155:84532'}];
    await using facilitator = await listen({fetch: () => Response.json({kinds, extensions: [], signers: {}})});
    await cp(await packedSite(), site, {recursive: true});
    // The instructions of the Dockerfile install the packages.
    const {code, err} = await runScript('build', ['--root', site]);
    assert.equal(code, 0, err);
    const image = await followed(join(site, 'hosting/Dockerfile'), site, folder);
    assert.equal((await stat(join(image.root, 'site/ledger'))).mode & 0o777, 0o700);
    assert.equal(image.last('USER'), 'node');

    const [port, adminPort] = [await freePort(), await freePort()];
    const settings = image.last('ENV').replace('8402', String(port)).replace('9402', String(adminPort)).split(' ');
    const [program = '', ...words] = JSON.parse(image.last('ENTRYPOINT')) as string[];
    const cwd = join(image.root, 'site');
    const environment = [`--chdir=${cwd}`, ...settings, `FROZEN_FACILITATOR_URL=${facilitator.url}`];
    const {stop, stdout} = leashed('env', [...environment, program, ...words]);
    stdout.resume();
    try {
      const probe = JSON.parse(
        image
          .last('HEALTHCHECK')
          .replace(/^.* CMD /, '')
          .replace('9402', String(adminPort)),
      ) as string[];
      const [node = '', ...args] = probe;
      await until(async () => ((await exitCodeOf(node, args)) === 0 ? true : undefined));
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
      await facilitator.stop();
      await until(async () => ((await exitCodeOf(node, args)) === 1 ? true : undefined));
    } finally {
      await stop();
    }
    await rm(folder, {recursive: true});
  });
});

/** Makes an image in a plain folder by the instructions of a Dockerfile. */
interface Image {
  readonly root: string;
  /** Returns the words of the last instruction of this kind. */
  last(instruction: string): string;
}

async function followed(file: string, context: string, folder: string): Promise<Image> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const instructions = lines.map(line => /^(\S+) (.*)$/.exec(line)?.slice(1) as [string, string]);
  const roots = new Map<string, string>();
  let [root, cwd] = ['', ''];
  for (const [instruction, words] of instructions)
    switch (instruction) {
      case 'FROM':
        root = join(folder, `stage-${roots.size}`);
        roots.set(/ AS (\S+)$/.exec(words)?.[1] ?? '', root);
        break;
      case 'WORKDIR':
        cwd = join(root, words);
        await mkdir(cwd, {recursive: true});
        break;
      case 'COPY': {
        const [, from] = /--from=(\S+)/.exec(words) ?? [];
        const paths = words.split(' ').filter(word => !word.startsWith('--'));
        const target = paths.pop() ?? '';
        const copied = paths.flatMap(path => (path.includes('*') ? glob.sync(path, {cwd: context}) : path));
        for (const source of copied)
          await cp(
            join(from === undefined ? context : (roots.get(from) ?? ''), source),
            join(cwd, target, target === './' ? source : ''),
            {
              recursive: true,
              verbatimSymlinks: true,
            },
          );
        break;
      }
      case 'RUN':
        await $({cwd, quiet: true})`sh -c ${words}`;
        break;
      default:
        assert.match(instruction, /^(ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT)$/);
    }
  const last = (wanted: string) =>
    instructions.findLast(([instruction]) => instruction === wanted)?.[1] ?? assert.fail(wanted);
  return {root, last};
}

/** Asynchronous, because the facilitator runs in this process. */
async function exitCodeOf(program: string, args: readonly string[]): Promise<number | null> {
  return (await $({quiet: true, nothrow: true})`${program} ${args}`).exitCode;
}

function missing(program: string): string | false {
  return spawnSync('which', [program]).status === 0 ? false : `this system has no ${program}`;
}

async function freePort(): Promise<number> {
  await using server = await listen({fetch: () => new Response()});
  return Number(new URL(server.url).port);
}
