import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import glob from 'fast-glob';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {Admin} from '../../paywall/hosts/admin.ts';
import type {Health} from '../../paywall/hosts/health.ts';
import {serveSite} from '../../paywall/hosts/node.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {PROJECT} from '../project.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {lengthen, path, until} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const network = 'eip155:84532';
const newKey = () => privateKeyToAccount(generatePrivateKey());

describe('the port for health and metrics', () => {
  let site: FixtureSite;
  let facilitator: StandIn;

  before(async () => {
    [site, facilitator] = [await fixtureSite(), await startStandIn()];
    await lengthen(site.root, 20_000_000);
  });
  after(async () => {
    await facilitator.stop();
    await site.remove();
  });

  test('counts every purchase, refusal and response, and a paid document until it is collected', async () => {
    await using gate = await open();
    const url = gate.url + path;
    const pay = async (payment: string) => (await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}})).status;
    const buy = async (document = url, buyer = newKey()) => {
      const payment = await paymentFor(decoded(await fetch(document), 'PAYMENT-REQUIRED'), buyer);
      await (await fetch(document, {headers: {'PAYMENT-SIGNATURE': payment}})).arrayBuffer();
    };
    for (let n = 0; n < 3; n++) await buy();
    await buy(url.replace('softfail3', 'webhookbundle'));
    facilitator.verify = {refuse: 'invalid_exact_evm_insufficient_balance'};
    const unfunded = async () => pay(await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), newKey()));
    assert.deepEqual([await unfunded(), await unfunded(), await pay('nonsense')], [402, 402, 400]);
    facilitator.verify = 'good';
    for (const free of ['/', '/llms.txt', '/nowhere', '/api/v1/../secret'])
      await (await fetch(new URL(free, url))).arrayBuffer();

    const unlucky = newKey();
    const headers = {'PAYMENT-SIGNATURE': await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), unlucky)};
    const cut = new AbortController();
    await fetch(url, {headers, signal: cut.signal});
    cut.abort();
    const product = 'softfail3';
    await until(async () => {
      const sales = await gate.ledger.list({limit: 20});
      const isOver = sales.some(({state, leasedUntil, readAt}) => state === 'settled' && leasedUntil < readAt);
      return isOver || undefined;
    });
    const figures = await gate.figures();
    const expected: readonly (readonly [name: string, labels: Record<string, string>, value: number])[] = [
      ['frozen_sales_total', {product, network}, 4],
      ['frozen_sales_total', {product: 'webhookbundle', network}, 1],
      ['frozen_sold_dollars_total', {product, network}, 0.08],
      ['frozen_sold_dollars_total', {product: 'webhookbundle', network}, 0.15],
      ['frozen_documents_total', {product, outcome: 'delivered'}, 3],
      ['frozen_documents_total', {product, outcome: 'cut_off'}, 1],
      ['frozen_documents_total', {product: 'webhookbundle', outcome: 'delivered'}, 1],
      ['frozen_challenges_total', {product}, 6],
      ['frozen_challenges_total', {product: 'webhookbundle'}, 1],
      ['frozen_refusals_total', {reason: 'invalid_exact_evm_insufficient_balance'}, 2],
      ['frozen_refusals_total', {reason: 'invalid_payload'}, 1],
      ['frozen_verdicts_total', {verdict: 'valid', reason: ''}, 5],
      ['frozen_verdicts_total', {verdict: 'invalid', reason: 'invalid_exact_evm_insufficient_balance'}, 2],
      ['frozen_settlement_seconds_count', {outcome: 'settled'}, 5],
      ['frozen_answers_total', {path: 'paid', status: '402'}, 9],
      ['frozen_answers_total', {path: 'paid', status: '400'}, 1],
      ['frozen_answers_total', {path: 'paid', status: '200'}, 5],
      ['frozen_answers_total', {path: 'free', status: '200'}, 2],
      ['frozen_answers_total', {path: 'unknown', status: '404'}, 2],
      ['frozen_undelivered_documents', {}, 1],
    ];
    assert.deepEqual(
      expected.map(([name, labels]) => [name, labels, figures.get(seriesOf(name, labels))]),
      expected,
    );
    const counted = [...figures.keys()].filter(series => /^frozen_(?!settlement)/.test(series));
    assert.equal(counted.length, expected.length - 1, counted.join('\n'));
    assert.ok([...figures.keys()].some(series => series.startsWith('process_resident_memory_bytes')));

    await buy(url, unlucky);
    const delivered = seriesOf('frozen_documents_total', {product, outcome: 'delivered'});
    const collected = await until(async () => {
      const figures = await gate.figures();
      return figures.get(delivered) === 4 ? figures : undefined;
    });
    assert.equal(collected.get(seriesOf('frozen_sales_total', {product, network})), 4, 'sold once');
    // A gate counts them every five seconds.
    assert.match((await new Admin(gate.ledger).figures.text()).text, /^frozen_undelivered_documents 0$/m);
  });

  test('reports the build, and whether it can be sold', async () => {
    await using gate = await open();
    const catalogue = await (await fetch(`${gate.url}/api/v1/index.json`)).arrayBuffer();
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', catalogue)).toString('hex');
    const {status, health} = await gate.health();
    assert.equal(status, 200);
    assert.deepEqual(health.site, {
      base_url: 'https://snapshots.example',
      as_of: '2026-05-01T00:00:00.000Z',
      sha256: digest,
    });
    assert.deepEqual([health.ok, health.ledger.ok, health.facilitator?.ok, health.node], [true, true, true, undefined]);

    await using closed = await open();
    await closed.ledger.close();
    const ill = await closed.health();
    assert.deepEqual([ill.status, ill.health.ledger.ok, ill.health.facilitator?.ok], [503, false, true]);
    assert.match(ill.health.ledger.trouble ?? '', /\S/);
  });

  test('checks other services at most every few seconds, and reports what cannot be reached', async () => {
    let questions = 0;
    const count = () => {
      questions += 1;
      return new Response('', {status: 502});
    };
    await using ill = await listen({fetch: count});
    await using gate = await open(ill.url, 'http://127.0.0.1:1/key');
    const answers = await Promise.all(Array.from({length: 50}, () => gate.health()));
    assert.deepEqual(new Set(answers.map(({status}) => status)), new Set([503]));
    assert.ok(questions < 10, `${questions} questions`);
    const {facilitator: reported, node, ledger} = answers[0]?.health ?? assert.fail();
    assert.deepEqual(reported, {ok: false, host: new URL(ill.url).host, trouble: 'it answers 502'});
    assert.deepEqual([ledger.ok, node?.ok, node?.host], [true, false, '127.0.0.1:1']);
    assert.ok(!JSON.stringify(answers).includes('/key'));
  });

  /** Opens a gate with health and metrics. */
  async function open(facilitatorUrl = facilitator.url, rpcUrl?: string) {
    const ledger = await openSqlite(':memory:');
    const admin = new Admin(ledger);
    const {figures} = admin;
    const gate = await serveSite(await openSite(site.root), {
      ...{port: 0, host: '127.0.0.1', facilitatorUrl, rpcUrl, ledger, observer: figures.observer},
      log: line => {
        figures.answered(line);
      },
      onError: error => assert.fail(error),
    });
    const address = await admin.listen({host: '127.0.0.1', port: 0}, {...gate, rpcUrl});
    return {
      ...{url: gate.url, ledger},
      figures: () => figuresAt(address),
      async health() {
        const response = await fetch(`${address}/healthz`);
        return {status: response.status, health: (await response.json()) as Health};
      },
      async [Symbol.asyncDispose]() {
        await admin.stop();
        await gate.stop();
        await ledger.close();
      },
    };
  }
});

test('the Worker does not contain the metrics library', () => {
  const holders = glob
    .sync('dist/*.js', {cwd: PROJECT})
    .filter(file => /prom-client/.test(readFileSync(join(PROJECT, file), 'utf8')));
  assert.notEqual(holders.length, 0);
  assert.ok(!holders.includes('dist/cloudflare-worker.js'), holders.join());
});

/** Returns the value of each series by its name and labels. */
async function figuresAt(address: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${address}/metrics`);
  assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map(line => {
      const [, series = '', value] = /^(.*) (\S+)$/.exec(line) ?? [];
      return [series, Number(value)];
    }),
  );
}

function seriesOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
}
