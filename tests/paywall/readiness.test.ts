import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'node:test';
import {Hono, type Context} from 'hono';
import {noCredentials} from '../../paywall/payments/facilitator/credentials.ts';
import {readiness, refuseUnready} from '../../paywall/readiness/readiness.ts';
import {realMoneyFaults} from '../../paywall/readiness/real-money.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {describeFault} from '../../shared/fault.ts';
import {PROJECT} from '../project.ts';
import {payTo} from './fixture-site.ts';

const testnet = 'eip155:84532';
const main = 'eip155:8453';

describe('a facilitator that is asked what it takes', () => {
  let answer: (c: Context) => Response;
  let facilitator: Listening;
  let host: string;

  beforeEach(async () => {
    facilitator = await listen(new Hono().get('/supported', c => answer(c)));
    ({host} = new URL(facilitator.url));
  });
  afterEach(() => facilitator.stop());

  const kind = (network: string, x402Version = 2, scheme = 'exact') => ({x402Version, scheme, network});
  const takes =
    (...kinds: object[]) =>
    (c: Context) =>
      c.json({kinds, extensions: [], signers: {}});

  for (const [what, kinds, state] of [
    ['the network', [kind(main), kind(testnet)], 'fine'],
    ['all networks of its kind', [kind('eip155:*')], 'fine'],
    ['nothing', [], 'fault'],
    ['another network', [kind(main)], 'fault'],
    ['the network by version 1', [kind(testnet, 1), kind('base-sepolia', 1)], 'fault'],
    ['the network by another scheme', [kind(testnet, 2, 'upto')], 'fault'],
  ] as const)
    test(`takes ${what}: ${state}`, async () => {
      answer = takes(...kinds);
      const [first] = await findings();
      assert.equal(first?.state, state);
      assert.match(
        first.words,
        state === 'fine' ? /^takes payments on eip155:84532$/ : /^takes no payments on eip155:84532/,
      );
    });

  for (const [what, silence, words] of [
    ['answers an error', (c: Context) => c.text('SECRET', 500), /^answers 500 and not what x402 asks for/],
    ['answers a page', (c: Context) => c.html('<p>SECRET</p>'), /^answers 200 and not what x402 asks for/],
    [
      'asks for a key',
      (c: Context) => c.text('SECRET', 401),
      /^answers 401 .*: it asks for a key: set FACILITATOR_TOKEN$/,
    ],
    [
      'answers without end',
      (c: Context) => c.text('x'.repeat(300_000)),
      /^does not say what it takes: the answer is larger/,
    ],
  ] as const)
    test(`that ${what} leaves a doubt, and no fault`, async () => {
      answer = silence;
      const found = await findings();
      assert.deepEqual(new Set(found.map(({state}) => state)).has('fault'), false);
      assert.equal(found[0]?.state, 'doubt');
      assert.match(found[0].words, words);
    });

  for (const [difference, words] of [
    [90_000, /^is \d+ s behind the facilitator/],
    [-90_000, /^is \d+ s ahead of the facilitator/],
    [20_000, /^has the time of the facilitator/],
  ] as const)
    test(`shows that a clock which is ${-difference / 1000} s ahead ${words.source.slice(1, 4)}`, async () => {
      answer = c => {
        const response = takes(kind(testnet))(c);
        response.headers.set('Date', new Date(Date.now() + difference).toUTCString());
        return response;
      };
      const clock = (await findings()).find(({what}) => what === 'clock');
      assert.match(clock?.words ?? '', words);
      assert.equal(clock?.state, Math.abs(difference) > 30_000 ? 'doubt' : 'fine');
    });

  test('is refused with a line for each network that it does not take', async () => {
    answer = takes(kind(testnet));
    const accepts = [testnet, 'eip155:421614'].map(network => ({network, pay_to: payTo}));
    const rules = {base_url: 'https://site.test', payment: {accepts, facilitator_url: facilitator.url}};
    await assert.rejects(refuseUnready({rules, facilitator: at(facilitator.url)}), {
      name: 'InputError',
      message: `facilitator ${host}: takes no payments on eip155:421614 (x402 version 2, scheme exact): see payment in data/site.json`,
    });
  });

  function findings() {
    const payment = {accepts: [{network: testnet, pay_to: payTo}], facilitator_url: facilitator.url};
    return readiness({rules: {base_url: 'https://site.test', payment}, facilitator: at(facilitator.url)});
  }
});

test('a facilitator that nobody reaches leaves a doubt', async () => {
  const payment = {accepts: [{network: testnet, pay_to: payTo}], facilitator_url: 'http://127.0.0.1:1'};
  const [doubt, ...more] = await readiness({
    rules: {base_url: 'https://site.test', payment},
    facilitator: at('http://127.0.0.1:1'),
  });
  assert.deepEqual([doubt?.state, doubt?.subject, more], ['doubt', '127.0.0.1:1', []]);
});

test('nobody and the token itself are payees at fault on any network', async () => {
  for (const [pay_to, words] of [
    [`0x${'0'.repeat(40)}`, /^is nobody, whom the token on eip155:84532 pays nothing$/],
    ['0x036CbD53842c5426634e7929541eC2318f3dCF7e', /^is the token itself on eip155:84532$/],
  ] as const) {
    const payment = {accepts: [{network: testnet, pay_to}], facilitator_url: 'https://facilitator.test'};
    const [found] = await readiness({rules: {base_url: 'https://site.test', payment}});
    assert.equal(found?.state, 'fault');
    assert.match(found.words, words);
  }
});

describe('where money is real', () => {
  const good = {base_url: 'https://snapshots.test', pay_to: payTo, url: 'https://facilitator.test/x402'};
  const rpcUrl = 'http://127.0.0.1:8545';
  const onBase = ', on Base, where money is real';
  for (const [what, change, line] of [
    [
      'the payee of the demonstration',
      {pay_to: SHIPPED_PAYEE.toLowerCase()},
      `data/site.json: payment.accepts[0].pay_to "${SHIPPED_PAYEE.toLowerCase()}" is the payee of the demonstration, and not yours${onBase}`,
    ],
    [
      'a host of examples',
      {base_url: 'https://a.example'},
      'base_url "https://a.example" is a host that no buyer reaches',
    ],
    ['this machine', {base_url: 'https://localhost:8402'}, 'base_url "https://localhost:8402" is a host that no buyer'],
    ['an origin without TLS', {base_url: 'http://snapshots.test'}, 'base_url "http://snapshots.test" is not https:'],
    ['a facilitator of test money', {url: 'https://x402.org/facilitator'}, 'takes test money alone'],
    ['the same by its other name', {url: 'https://www.x402.org/facilitator'}, 'takes test money alone'],
    [
      'a facilitator without TLS',
      {url: 'http://facilitator.test'},
      'facilitator_url "http://facilitator.test" is not https:',
    ],
  ] as const)
    test(`${what} is refused in a line, and on a test network it is not`, async () => {
      const lines = await linesOn(main, {...good, ...change});
      assert.equal(lines.length, 1);
      assert.ok(lines[0]?.includes(line) && lines[0].endsWith(onBase), lines[0]);
      assert.deepEqual(await linesOn(testnet, {...good, ...change}), []);
      assert.equal(
        (await linesOn('eip155:99999999', {...good, ...change})).length,
        1,
        'an unknown network is a main one',
      );
    });

  test('a site without them is taken, and one with a facilitator on this machine', async () => {
    assert.deepEqual(await linesOn(main, good), []);
    assert.deepEqual(await linesOn(main, {...good, url: 'http://127.0.0.1:4021'}), []);
  });

  test('a facilitator of the environment is named so', async () => {
    const rules = {
      base_url: good.base_url,
      payment: {accepts: [{network: main, pay_to: payTo}], facilitator_url: good.url},
    };
    const [fault] = await realMoneyFaults(rules, {
      facilitator: {url: 'https://x402.org/facilitator', isFromEnvironment: true},
      rpcUrl,
    });
    assert.deepEqual([fault?.file, fault?.field], ['environment', 'FACILITATOR_URL']);
  });

  test('a gate without a node is refused, unless it or its host settles by itself', async () => {
    const facilitator = {url: good.url, isFromEnvironment: false};
    const rules = (network: string) => ({
      base_url: good.base_url,
      payment: {accepts: [{network, pay_to: payTo}], facilitator_url: good.url},
    });
    const [fault] = await realMoneyFaults(rules(main), {facilitator});
    assert.deepEqual([fault?.file, fault?.field], ['environment', 'RPC_URL']);
    assert.deepEqual(await realMoneyFaults(rules(main), {}), []);
    assert.deepEqual(await realMoneyFaults(rules(testnet), {facilitator}), []);
  });

  test('the payee of the demonstration is the one that is shipped', async () => {
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
