import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {request, type IncomingMessage} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {x402Client} from '@x402/core/client';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPayment} from '@x402/fetch';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {leashed} from '../../scripts/local-chain/chain.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {decoded, paymentFor} from '../paywall/hand-made.ts';
import {until} from '../paywall/shop.ts';
import type {SignedSite} from '../paywall/signed-site.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {widestPath, widestSite} from '../paywall/widest-site.ts';
import {PROJECT} from '../project.ts';

interface Proxy {
  /** Returns the command that runs it with the default settings of its Debian package. */
  readonly commandFor: (folder: string, front: URL, gate: URL) => Promise<[program: string, ...args: string[]]>;
  /** The header for the address of its client. */
  readonly clientAddressHeader: string;
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    clientAddressHeader: 'X-Real-IP',
    async commandFor(folder, front, gate) {
      const file = join(folder, 'nginx.conf');
      await writeFile(file, nginxConfiguration(folder, front.port, gate.origin));
      return ['nginx', '-p', folder, '-c', file, '-e', 'stderr'];
    },
  },
  caddy: {
    clientAddressHeader: 'X-Forwarded-For',
    commandFor(folder, front, gate) {
      const environment = [`SITE_ADDRESS=${front.origin}`, `GATE=${gate.host}`, `HOME=${folder}`];
      const file = join(PROJECT, 'scripts/init/template/hosting/Caddyfile');
      return Promise.resolve(['env', ...environment, 'caddy', 'run', '--config', file]);
    },
  },
};

/**
 * The configuration of Debian's package, with nginx's own buffer sizes. Only the paths and the address of the client
 * are added.
 */
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
          proxy_set_header X-Real-IP $remote_addr;
        }
      }
    }`;
}

/** An address without a server. */
async function freeAddress(): Promise<string> {
  await using server = await listen({fetch: () => new Response()});
  return server.url;
}

for (const [name, proxy] of Object.entries(PROXIES)) {
  const isMissing = spawnSync(name, ['-h']).error !== undefined;
  describe(`${name} with its default settings in front of the gate`, {skip: isMissing && `${name} is missing`}, () => {
    throughProxy(proxy);
  });
}

function throughProxy({commandFor, clientAddressHeader}: Proxy): void {
  let site: SignedSite;
  let facilitator: StandIn;
  let gate: Listening;
  let running: ReturnType<typeof leashed>;
  let folder: string;
  let front: string;

  before(async () => {
    [site, facilitator] = [await widestSite(), await startStandIn()];
    gate = await startGate(site.root, facilitator.url, {
      signingKey: site.key,
      clientAddressHeader,
      limits: {MAX_VERIFICATIONS_PER_CLIENT: 1},
    });
    folder = await mkdtemp(join(tmpdir(), 'proxy-'));
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

  test('distinguishes clients by their addresses, and ignores what they send as their address', async () => {
    let release = (): void => undefined;
    facilitator.verify = new Promise(resolve => (release = resolve));
    const {asked} = facilitator;
    const first = payFrom('127.0.0.1', '192.0.2.1');
    await until(() => (facilitator.asked === asked + 1 ? true : undefined));
    assert.equal(await payFrom('127.0.0.1', '192.0.2.2'), 503);
    const other = payFrom('127.0.0.2', '192.0.2.1');
    await until(() => (facilitator.asked === asked + 2 ? true : undefined));
    release();
    assert.deepEqual([await first, await other], [200, 200]);
  });

  /** Buys with a new key over a connection from a local address. */
  async function payFrom(localAddress: string, claimedAddress: string): Promise<number> {
    const url = `${front}/api/v1/softfail3`;
    const buyer = privateKeyToAccount(generatePrivateKey());
    const headers = {
      'PAYMENT-SIGNATURE': await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), buyer),
      'X-Real-IP': claimedAddress,
      'X-Forwarded-For': claimedAddress,
    };
    const [answer] = (await once(request(url, {localAddress, headers}).end(), 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  }
}
