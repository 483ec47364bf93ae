import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {rm, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import cloudflare from '../../build/hosts/cloudflare.ts';
import serve from '../../build/hosts/serve.ts';
import {baseUrl, canary, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startMiniflareGate} from './miniflare-gate.ts';
import {startStandIn, type StandIn} from './stand-in.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

const path = '/api/v1/softfail3';
const sample = '/api/v1/samples/softfail3.json';

test('a Worker does not sell for real money without a node of the chain', async () => {
  const site = await fixtureSite({
    accepts: [{network: 'eip155:8453', pay_to: payTo}],
    alter: ({rules, catalogue}) => {
      for (const each of [rules, catalogue])
        Object.assign(each, JSON.parse(JSON.stringify(each).replaceAll(baseUrl, 'https://snapshots.test')));
    },
  });
  const secrets = {FROZEN_FACILITATOR_URL: 'https://facilitator.test'};
  for (const [rpc, status] of [
    [{}, 503],
    [{FROZEN_RPC_URL: 'https://node.test'}, 402],
  ] as const) {
    const worker = await startMiniflareGate(site, {...secrets, ...rpc});
    const answer = await fetch(worker.url + path);
    await answer.text();
    const log = await worker.stop();
    assert.equal(answer.status, status, log);
    assert.equal(log.includes('FROZEN_RPC_URL is not set, but payments on Base are real money'), status === 503, log);
  }
  await site.remove();
});

test('a Worker reports that its assets do not have the catalogue', async () => {
  const site = await fixtureSite();
  await rm(join(site.root, 'public/api/v1/index.json'));
  const worker = await startMiniflareGate(site, {});
  assert.equal((await fetch(worker.url + path)).status, 503);
  assert.equal(await worker.stop(), '/api/v1/index.json cannot be read from the assets of the Worker.\n');
  await site.remove();
});

describe('a site on Cloudflare, in workerd', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    // Like a faulty deployment: the catalogue has another digest.
    await writeFile(join(site.root, 'public/api/v1/webhookbundle'), `${canary}, cut short`);
    facilitator = await startStandIn();
    gate = await startWorkerGate(site, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await site.remove();
  });

  test('free documents are assets with their bytes, a type, an entity tag and nosniff', async () => {
    for (const free of [sample, '/api/v1/index.json', '/api/v1/schemas/softfail3.json', '/llms.txt', '/']) {
      const response = await fetch(gate.url + free);
      assert.equal(response.status, 200, free);
      assert.equal(await response.text(), site.files.get(free === '/' ? '/index.html' : free));
      assert.match(response.headers.get('Content-Type') ?? '', /^(application\/json|text\/html|text\/plain)/);
      assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
      const tag = response.headers.get('ETag') ?? '';
      assert.match(tag, /^"|^W\/"/);
      assert.equal((await fetch(gate.url + free, {headers: {'If-None-Match': tag}})).status, 304);
    }
  });

  test('a browser gets the page with the checkout, with a policy that names its script', async () => {
    const response = await fetch(gate.url + path, {headers: {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'}});
    assert.equal(response.status, 402);
    const [, script = assert.fail()] = /<script>([^]*?)<\/script>/.exec(await response.text()) ?? [];
    const digest = createHash('sha256').update(script).digest('base64');
    assert.ok(response.headers.get('Content-Security-Policy')?.includes(`script-src 'sha256-${digest}'`));
  });

  test('a paid path is answered with 402, and a path without a rule with 404 problem details', async () => {
    assert.equal((await fetch(gate.url + path)).status, 402);
    const response = await fetch(`${gate.url}/api/v1/forgotten`);
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
  });

  test('a paid document that differs from the digest in the catalogue is not sold', async () => {
    const damaged = `${gate.url}/api/v1/webhookbundle`;
    const challenge = decoded(await fetch(damaged), 'PAYMENT-REQUIRED');
    const payment = await paymentFor(challenge, privateKeyToAccount(generatePrivateKey()));
    const response = await fetch(damaged, {headers: {'PAYMENT-SIGNATURE': payment}});
    assert.equal(response.status, 503);
    assert.ok(!(await response.text()).includes(canary));
    assert.deepEqual(facilitator.submitted, []);
  });

  test('a slow settlement is awaited, and sells once', async () => {
    facilitator.settle = 6_000;
    const challenge = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
    const payment = await paymentFor(challenge, privateKeyToAccount(generatePrivateKey()));
    const send = () => fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
    const answers = await Promise.all([send(), send()]);
    assert.deepEqual(
      answers.map(({status}) => status).sort((a, b) => a - b),
      [200, 409],
    );
    assert.equal((await send()).status, 402);
    assert.equal(facilitator.submitted.length, 1);
  });

  test('the lists of rules have the same length for a thousand products and for three', () => {
    const [rule] = site.rules.rules;
    assert.ok(rule);
    const composed = (count: number) => {
      const rules = Array.from({length: count}, (_, index) => ({
        ...rule,
        method: 'GET' as const,
        name: `product${index}`,
        path: `/api/v1/product${index}`,
      }));
      return cloudflare.compose({site: site.rules, rules, pages: []}).files;
    };
    assert.ok(composed(3).has('paywall/rules/wrangler.jsonc') && composed(3).has('public/_headers'));
    assert.deepEqual(composed(1000), composed(3));
  });
});

describe('a site under serve, without a gate', () => {
  let site: FixtureSite;
  let server: ChildProcess;
  let url: string;

  before(async () => {
    site = await fixtureSite();
    const {files} = serve.compose({site: site.rules, rules: [], pages: []});
    for (const [file, text] of files) await writeFile(join(site.root, file), text);
    const program = resolve(import.meta.dirname, '../../node_modules/serve/build/main.js');
    const folder = join(site.root, 'public');
    server = spawn(process.execPath, [program, folder, '-l', 'tcp://127.0.0.1:0', '--no-port-switching'], {
      env: {...process.env, NO_UPDATE_CHECK: '1'},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await new Promise(found => {
      if (!server.stdout) return;
      createInterface({input: server.stdout}).on('line', line => {
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
        if (address) found(address);
      });
    });
  });
  after(async () => {
    server.kill();
    await once(server, 'close');
    await site.remove();
  });

  test('a document without an extension is JSON', async () => {
    const response = await fetch(url + path);
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
    assert.equal(await response.text(), site.files.get(path));
  });

  test('folders are not listed, and the home page exists', async () => {
    assert.equal((await fetch(`${url}/api/v1/`)).status, 404);
    const home = await fetch(`${url}/`);
    assert.equal(await home.text(), site.files.get('/index.html'));
    assert.equal(home.headers.get('X-Content-Type-Options'), 'nosniff');
  });
});
