import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import glob from 'fast-glob';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {$} from 'zx';
import type {Health} from '../../paywall/hosts/health.ts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {PROJECT} from '../project.ts';
import {sharedChain} from '../shared-chain.ts';
import {spawnGate, type GateProcess} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {buy, newBuyer, openShop, path, until} from './shop.ts';

const network = 'eip155:84532';
const ADMIN = {args: ['--admin-port', '0']};

describe('the port for health and metrics', {concurrency: 2}, () => {
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

  test('counts every purchase, refusal and response, and a paid document until it is collected', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, length: 20_000_000});
    const gate = await shop.start(undefined, ADMIN);
    const url = (await gate.url) + path;
    for (let n = 0; n < 3; n++) await buy(url, await newBuyer(chain));
    await buy(url.replace('softfail3', 'webhookbundle'), await newBuyer(chain));
    const poor = privateKeyToAccount(generatePrivateKey());
    const pay = async (payment: string) => (await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}})).status;
    const unfunded = async () => pay(await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), poor));
    assert.deepEqual([await unfunded(), await unfunded(), await pay('nonsense')], [402, 402, 400]);
    for (const free of ['/', '/llms.txt', '/nowhere', '/api/v1/../secret'])
      await (await fetch(new URL(free, url))).arrayBuffer();

    const unlucky = await newBuyer(chain);
    const challenge = decoded(await fetch(url), 'PAYMENT-REQUIRED');
    const cut = new AbortController();
    const headers = {'PAYMENT-SIGNATURE': await paymentFor(challenge, unlucky)};
    await fetch(url, {headers, signal: cut.signal});
    cut.abort();
    await until(async () => ((await shop.sales(unlucky))[0]?.state === 'settled' ? true : undefined));

    const figures = await figuresOf(gate);
    const product = 'softfail3';
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

    assert.deepEqual((await buy(url, unlucky)).statuses, [200]);
    const collected = await figuresOf(gate);
    assert.equal(collected.get(seriesOf('frozen_sales_total', {product, network})), 4, 'sold once');
    assert.equal(collected.get(seriesOf('frozen_documents_total', {product, outcome: 'delivered'})), 4);
    await until(async () => ((await figuresOf(gate)).get('frozen_undelivered_documents') === 0 ? true : undefined));
  });

  test('is separate from the public port, and closes with it', async () => {
    await using shop = await openShop({facilitator});
    const gate = await shop.start(undefined, ADMIN);
    const url = await gate.url;
    const text = async (address: string) => {
      const response = await fetch(address);
      return [response.status, ...response.headers.keys(), await response.text()];
    };
    const unknown = await text(`${url}/unknown`);
    assert.equal(unknown[0], 404);
    for (const name of ['/healthz', '/metrics']) assert.deepEqual(await text(url + name), unknown);
    const admin = adminOf(gate);
    assert.equal((await fetch(admin + path)).status, 404);
    gate.signal('SIGTERM');
    assert.equal(await gate.exitCode, 0);
    await assert.rejects(fetch(`${admin}/healthz`));
    assert.match(gate.written.err, /^Health and metrics on http:\/\/127\.0\.0\.1:\d+\nListening on \S+\n$/);
  });

  test('reports the build and whether it can be sold', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    const gate = await shop.start(undefined, ADMIN);
    const admin = adminOf(gate);
    const catalogue = await (await fetch(`${await gate.url}/api/v1/index.json`)).arrayBuffer();
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', catalogue)).toString('hex');
    const {status, health} = await healthAt(admin);
    assert.equal(status, 200);
    assert.deepEqual(health.site, {
      base_url: 'https://snapshots.example',
      as_of: '2026-05-01T00:00:00.000Z',
      sha256: digest,
    });
    assert.deepEqual([health.ok, health.ledger.ok, health.facilitator?.ok, health.node?.ok], [true, true, true, true]);
    assert.equal(health.node?.host, new URL(chain.rpcUrl).host);

    await $({quiet: true})`prlimit --pid ${gate.pid ?? 0} --fsize=1:`;
    const ill = await until(async () => {
      const answer = await healthAt(admin);
      return answer.status === 503 ? answer.health : undefined;
    });
    assert.deepEqual([ill.ok, ill.ledger.ok, ill.facilitator?.ok], [false, false, true]);
    assert.match(ill.ledger.trouble ?? '', /\S/);
  });

  test('checks other services at most every few seconds, and reports what cannot be reached', async () => {
    let questions = 0;
    const count = () => {
      questions += 1;
      return new Response('', {status: 502});
    };
    await using ill = await listen({fetch: count});
    await using shop = await openShop({facilitator, rpcUrl: 'http://127.0.0.1:1/key'});
    const gate = await shop.start(undefined, {...ADMIN, env: {FROZEN_FACILITATOR_URL: ill.url}});
    const admin = adminOf(gate);
    const answers = await Promise.all(Array.from({length: 50}, () => healthAt(admin)));
    assert.deepEqual(new Set(answers.map(({status}) => status)), new Set([503]));
    assert.ok(questions < 10, `${questions} questions`);
    const {facilitator: reported, node, ledger} = answers[0]?.health ?? assert.fail();
    assert.deepEqual(reported, {ok: false, host: new URL(ill.url).host, trouble: 'it answers 502'});
    assert.deepEqual([ledger.ok, node?.ok, node?.host], [true, false, '127.0.0.1:1']);
    assert.ok(!JSON.stringify(answers).includes('/key'));
  });

  test('in use is reported in one line, and the gate ends', async () => {
    await using other = await listen({fetch: () => new Response()});
    const {port} = new URL(other.url);
    await using shop = await openShop({facilitator});
    const gate = spawnGate(['--root', shop.root], {FROZEN_ADMIN_PORT: port, FROZEN_FACILITATOR_URL: facilitator.url});
    assert.equal(await gate.exitCode, 1);
    assert.equal(
      gate.written.err,
      `Port ${port} on 127.0.0.1 is in use: set --admin-port or FROZEN_ADMIN_PORT to another port\n`,
    );
  });
});

test('the Worker does not contain the metrics library', () => {
  const holders = glob
    .sync('dist/*.js', {cwd: PROJECT})
    .filter(file => /prom-client/.test(readFileSync(join(PROJECT, file), 'utf8')));
  assert.notEqual(holders.length, 0);
  assert.ok(!holders.includes('dist/cloudflare-worker.js'), holders.join());
});

function adminOf({written}: GateProcess): string {
  return /^Health and metrics on (\S+)$/m.exec(written.err)?.[1] ?? assert.fail(written.err);
}

async function healthAt(admin: string): Promise<{status: number; health: Health}> {
  const response = await fetch(`${admin}/healthz`);
  return {status: response.status, health: (await response.json()) as Health};
}

/** Returns the value of each series by its name and labels. */
async function figuresOf(gate: GateProcess): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${adminOf(gate)}/metrics`);
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
