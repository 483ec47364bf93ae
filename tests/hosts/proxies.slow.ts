import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {x402Client} from '@x402/core/client';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPayment} from '@x402/fetch';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {leashed} from '../../scripts/local-chain/leashed.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {decoded, paymentFor} from '../paywall/hand-made.ts';
import {until} from '../paywall/shop.ts';
import type {SignedSite} from '../paywall/signed-site.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {widestPath, widestSite} from '../paywall/widest-site.ts';
import {PROJECT} from '../project.ts';

/** Makes the command of a proxy with the default settings of its Debian package. */
type CommandFor = (folder: string, front: URL, gate: URL) => Promise<[program: string, ...args: string[]]>;

const PROXIES: Record<string, CommandFor> = {
  async nginx(folder, front, gate) {
    const file = join(folder, 'nginx.conf');
    await writeFile(file, nginxConfiguration(folder, front.port, gate.origin));
    return ['nginx', '-p', folder, '-c', file, '-e', 'stderr'];
  },
  caddy(folder, front, gate) {
    const environment = [`SITE_ADDRESS=${front.origin}`, `GATE=${gate.host}`, `HOME=${folder}`];
    const file = join(PROJECT, 'scripts/init/template/hosting/Caddyfile');
    return Promise.resolve(['env', ...environment, 'caddy', 'run', '--config', file]);
  },
};

/** The configuration of Debian's package, with nginx's own buffer sizes. Only the paths differ. */
function nginxConfiguration(folder: string, port: string, gate: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    master_process off;
    pid ${folder}/nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join('\n')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${gate};
        }
      }
    }`;
}

/** An address on which nothing listens. */
async function freeAddress(): Promise<string> {
  await using server = await listen({fetch: () => new Response()});
  return server.url;
}

for (const [proxy, commandFor] of Object.entries(PROXIES)) {
  const isMissing = spawnSync(proxy, ['-h']).error !== undefined;
  describe(
    `${proxy} with its default settings in front of the gate`,
    {skip: isMissing && `${proxy} is missing`},
    () => {
      throughProxy(proxy, commandFor);
    },
  );
}

function throughProxy(proxy: string, commandFor: CommandFor): void {
  let site: SignedSite;
  let facilitator: StandIn;
  let gate: Listening;
  let running: ReturnType<typeof leashed>;
  let folder: string;
  let front: string;

  before(async () => {
    [site, facilitator] = [await widestSite(), await startStandIn()];
    gate = await startGate(site.root, facilitator.url, {signingKey: site.key});
    folder = await mkdtemp(join(tmpdir(), `${proxy}-`));
    front = await freeAddress();
    const [program, ...args] = await commandFor(folder, new URL(front), new URL(gate.url));
    running = leashed(program, args);
    running.stdout.resume();
    await until(() =>
      fetch(front).then(
        () => true,
        () => undefined,
      ),
    );
  });
  after(async () => {
    await running.stop();
    await gate.stop();
    await facilitator.stop();
    await site.remove();
    await rm(folder, {recursive: true});
  });

  for (const path of [widestPath, '/api/v1/softfail3']) {
    const name = path.slice(0, 20);

    test(`passes the 402 on to programs and browsers: ${name}`, async () => {
      for (const headers of [{}, {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'}]) {
        const answer = await fetch(front + path, {headers});
        assert.equal(answer.status, 402);
        assert.equal(decoded(answer, 'PAYMENT-REQUIRED').x402Version, 2);
      }
    });

    test(`passes on a refusal, a failed settlement, and the payment of a stock client: ${name}`, async () => {
      const buyer = privateKeyToAccount(generatePrivateKey());
      for (const refused of ['verify', 'settle'] as const) {
        facilitator[refused] = {refuse: 'invalid_exact_evm_payload_authorization_value_mismatch'};
        const payment = await paymentFor(decoded(await fetch(front + path), 'PAYMENT-REQUIRED'), buyer);
        const answer = await fetch(front + path, {headers: {'PAYMENT-SIGNATURE': payment}});
        assert.deepEqual([answer.status, answer.headers.has('PAYMENT-RESPONSE')], [402, refused === 'settle']);
        facilitator[refused] = 'good';
      }
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(buyer)).setSpendControls(false);
      const answer = await wrapFetchWithPayment(fetch, client)(front + path);
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), site.files.get(path));
    });
  }
}
