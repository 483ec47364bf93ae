import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'node:test';
import {Hono, type Context} from 'hono';
import {noCredentials} from '../../paywall/payments/facilitator/credentials.ts';
import {preflight, requirePreflight} from '../../paywall/preflight/preflight.ts';
import {realMoneyFaults} from '../../shared/real-money.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {describeFault} from '../../shared/fault.ts';
import {PROJECT} from '../project.ts';
import {payTo} from './fixture-site.ts';

const testnet = 'eip155:84532';
const main = 'eip155:8453';

describe('the preflight of a facilitator', () => {
  let answer: (c: Context) => Response;
  let facilitator: Listening;
  let host: string;

  beforeEach(async () => {
    facilitator = await listen(new Hono().get('/supported', c => answer(c)));
    ({host} = new URL(facilitator.url));
  });
  afterEach(() => facilitator.stop());

  const kind = (network: string, x402Version = 2, scheme = 'exact') => ({x402Version, scheme, network});
  const supporting =
    (...kinds: object[]) =>
    (c: Context) =>
      c.json({kinds, extensions: [], signers: {}});

  for (const [what, kinds, state] of [
    ['supports the network', [kind(main), kind(testnet)], 'ok'],
    ['supports all networks of the namespace', [kind('eip155:*')], 'ok'],
    ['supports nothing', [], 'error'],
    ['supports another network', [kind(main)], 'error'],
    ['supports the network only in version 1', [kind(testnet, 1), kind('base-sepolia', 1)], 'error'],
    ['supports the network only in another scheme', [kind(testnet, 2, 'upto')], 'error'],
  ] as const)
    test(`that ${what}: ${state}`, async () => {
      answer = supporting(...kinds);
      const [first] = await results();
      assert.equal(first?.state, state);
      assert.match(
        first.message,
        state === 'ok' ? /^accepts payments on eip155:84532$/ : /^accepts no payments on eip155:84532/,
      );
    });

  for (const [what, failure, message] of [
    [
      'answers an error',
      (c: Context) => c.text('SECRET', 500),
      /^answers GET \/supported with status 500 and no list of x402 payment kinds$/,
    ],
    [
      'answers a page',
      (c: Context) => c.html('<p>SECRET</p>'),
      /^answers GET \/supported with status 200 and no list of x402 payment kinds$/,
    ],
    [
      'asks for a key',
      (c: Context) => c.text('SECRET', 401),
      /^answers GET \/supported with status 401: it requires a key: set FROZEN_FACILITATOR_TOKEN$/,
    ],
    [
      'answers without end',
      (c: Context) => c.text('x'.repeat(300_000)),
      /^gives no usable answer to GET \/supported: the answer is larger/,
    ],
  ] as const)
    test(`that ${what}: warning`, async () => {
      answer = failure;
      const found = await results();
      assert.ok(found.every(({state}) => state !== 'error'));
      assert.equal(found[0]?.state, 'warning');
      assert.match(found[0].message, message);
    });

  for (const [difference, message] of [
    [90_000, /^is \d+ s behind the facilitator/],
    [-90_000, /^is \d+ s ahead of the facilitator/],
    [20_000, /^has the same time as the facilitator/],
  ] as const)
    test(`with a clock that is ${difference / 1000} s ahead: this machine ${message.source.slice(1)}`, async () => {
      answer = c => {
        const response = supporting(kind(testnet))(c);
        response.headers.set('Date', new Date(Date.now() + difference).toUTCString());
        return response;
      };
      const clock = (await results()).find(result => result.kind === 'clock');
      assert.match(clock?.message ?? '', message);
      assert.equal(clock?.state, Math.abs(difference) > 30_000 ? 'warning' : 'ok');
    });

  test('throws a line for each network that it does not support', async () => {
    answer = supporting(kind(testnet));
    const accepts = [testnet, 'eip155:421614'].map(network => ({network, pay_to: payTo}));
    const rules = {base_url: 'https://site.test', payment: {accepts, facilitator_url: facilitator.url}};
    await assert.rejects(requirePreflight({rules, facilitator: at(facilitator.url)}), {
      name: 'InputError',
      message: `facilitator ${host} accepts no payments on eip155:421614 (x402 version 2, scheme exact): see payment in data/site.json`,
    });
  });

  function results() {
    const payment = {accepts: [{network: testnet, pay_to: payTo}], facilitator_url: facilitator.url};
    return preflight({rules: {base_url: 'https://site.test', payment}, facilitator: at(facilitator.url)});
  }
});

test('a facilitator that cannot be reached is a warning', async () => {
  const payment = {accepts: [{network: testnet, pay_to: payTo}], facilitator_url: 'http://127.0.0.1:1'};
  const [warning, ...more] = await preflight({
    rules: {base_url: 'https://site.test', payment},
    facilitator: at('http://127.0.0.1:1'),
  });
  assert.deepEqual([warning?.state, warning?.subject, more], ['warning', '127.0.0.1:1', []]);
});

test('the zero address and the token itself are refused as payees on any network', async () => {
  for (const [pay_to, message] of [
    [`0x${'0'.repeat(40)}`, /^is the zero address, to which the token on eip155:84532 refuses transfers$/],
    ['0x036CbD53842c5426634e7929541eC2318f3dCF7e', /^is the token itself on eip155:84532$/],
  ] as const) {
    const payment = {accepts: [{network: testnet, pay_to}], facilitator_url: 'https://facilitator.test'};
    const [found] = await preflight({rules: {base_url: 'https://site.test', payment}});
    assert.equal(found?.state, 'error');
    assert.match(found.message, message);
  }
});

describe('the settings of a trial', () => {
  const good = {base_url: 'https://snapshots.test', pay_to: payTo, url: 'https://facilitator.test/x402'};
  const rpcUrl = 'http://127.0.0.1:8545';
  const onBase = ', but payments on Base are real money';
  for (const [what, change, line] of [
    [
      'the payee of the demonstration',
      {pay_to: SHIPPED_PAYEE.toLowerCase()},
      `data/site.json: payment.accepts[0].pay_to "${SHIPPED_PAYEE.toLowerCase()}" is the payee of the demonstration, not yours${onBase}`,
    ],
    [
      'a host under .example',
      {base_url: 'https://a.example'},
      'base_url "https://a.example" is a host that no buyer can reach',
    ],
    [
      'this machine',
      {base_url: 'https://localhost:8402'},
      'base_url "https://localhost:8402" is a host that no buyer can reach',
    ],
    ['an origin without TLS', {base_url: 'http://snapshots.test'}, 'base_url "http://snapshots.test" is not https:'],
    ['the test facilitator', {url: 'https://x402.org/facilitator'}, 'settles only test money'],
    ['the test facilitator by its other name', {url: 'https://www.x402.org/facilitator'}, 'settles only test money'],
    [
      'a facilitator without TLS',
      {url: 'http://facilitator.test'},
      'facilitator_url "http://facilitator.test" is not https:',
    ],
  ] as const)
    test(`${what} is refused on a main network and accepted on a test network`, async () => {
      const lines = await linesOn(main, {...good, ...change});
      assert.equal(lines.length, 1);
      assert.ok(lines[0]?.includes(line) && lines[0].endsWith(onBase), lines[0]);
      assert.deepEqual(await linesOn(testnet, {...good, ...change}), []);
      assert.equal(
        (await linesOn('eip155:99999999', {...good, ...change})).length,
        1,
        'an unknown network counts as a main network',
      );
    });

  test('a site without them is accepted, also with a facilitator on this machine', async () => {
    assert.deepEqual(await linesOn(main, good), []);
    assert.deepEqual(await linesOn(main, {...good, url: 'http://127.0.0.1:4021'}), []);
  });

  test('a facilitator from the environment is reported with its variable', async () => {
    const rules = {
      base_url: good.base_url,
      payment: {accepts: [{network: main, pay_to: payTo}], facilitator_url: good.url},
    };
    const [fault] = await realMoneyFaults(rules, {
      facilitator: {url: 'https://x402.org/facilitator', isFromEnvironment: true},
      rpcUrl,
    });
    assert.deepEqual([fault?.file, fault?.field], [undefined, 'FROZEN_FACILITATOR_URL']);
  });

  test('a gate without a node is refused unless it or its host settles payments itself', async () => {
    const facilitator = {url: good.url, isFromEnvironment: false};
    const rules = (network: string) => ({
      base_url: good.base_url,
      payment: {accepts: [{network, pay_to: payTo}], facilitator_url: good.url},
    });
    const [fault] = await realMoneyFaults(rules(main), {facilitator});
    assert.deepEqual([fault?.file, fault?.field], [undefined, 'FROZEN_RPC_URL']);
    assert.deepEqual(await realMoneyFaults(rules(main), {}), []);
    assert.deepEqual(await realMoneyFaults(rules(testnet), {facilitator}), []);
  });

  test('a gate that has a node of one network is refused if the site accepts real money on two', async () => {
    const accepts = [main, 'eip155:137'].map(network => ({network, pay_to: payTo}));
    const rules = {base_url: good.base_url, payment: {accepts, facilitator_url: good.url}};
    const faults = await realMoneyFaults(rules, {facilitator: {url: good.url, isFromEnvironment: false}, rpcUrl});
    assert.deepEqual(
      faults.map(({field, rule}) => `${field} ${rule}`),
      ['payment.accepts accepts real money on Base and Polygon, but a gate has a node of one network'],
    );
    assert.deepEqual(await realMoneyFaults(rules, {}), []);
  });

  test('the payee of the demonstration is the payee of the example', async () => {
    assert.ok((await readFile(join(PROJECT, 'tests/example/data/site.json'), 'utf8')).includes(SHIPPED_PAYEE));
  });

  async function linesOn(network: string, {base_url, pay_to, url}: {base_url: string; pay_to: string; url: string}) {
    const rules = {base_url, payment: {accepts: [{network, pay_to}], facilitator_url: url}};
    return (await realMoneyFaults(rules, {facilitator: {url, isFromEnvironment: false}, rpcUrl})).map(describeFault);
  }
});

function at(url: string) {
  return {url, isFromEnvironment: false, credentials: noCredentials(url)};
}
