import assert from 'node:assert/strict';
import {once} from 'node:events';
import {request, type IncomingMessage} from 'node:http';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import type {Hono} from 'hono';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {newFigures} from '../../paywall/hosts/figures.ts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {AccessLine} from '../../paywall/http/access-log.ts';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {createGate} from '../../paywall/http/gate.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import type {Limits} from '../../paywall/payments/limits.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startGate, type GateOptions} from '../../scripts/local-chain/gate.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {forger} from './forge.ts';
import {decoded, paymentFor, type Challenge} from './hand-made.ts';
import {path, until} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'];

describe('limits', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let challenge: Challenge;
  /** Verifications take until a test releases them. */
  let verifying: Promise<void>;
  let release: () => void;

  before(async () => {
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    verifying = new Promise(resolve => (release = resolve));
    facilitator.verify = verifying;
    ledger = await openSqlite(':memory:');
    challenge = decoded(await (await openGate()).request(path), 'PAYMENT-REQUIRED');
  });
  afterEach(async () => {
    await facilitator.stop();
    await ledger.close();
  });
  after(() => site.remove());

  describe('of verifications', () => {
    test('keep one client with 60 keys of its own from shutting out another client', async () => {
      const gate = await openGate();
      const flood = await underWay(times(60, () => buy(gate, ONE)));
      assert.equal(await afterRelease(buy(gate, OTHER)), 200);
      assert.deepEqual(counted(await Promise.all(flood)), {200: 12, 503: 48});
    });

    test('refuse at once with 503 and Retry-After, and write the reason into log and metrics', async () => {
      const reasons: (string | undefined)[] = [];
      const figures = newFigures(() => Promise.resolve(0));
      const gate = await openGate({MAX_VERIFICATIONS_PER_CLIENT: 1}, line => {
        reasons.push(line.reason);
        figures.answered(line);
      });
      const [first] = await underWay([buy(gate, ONE)]);
      const answer = await pay(gate, ONE, newKey());
      assert.deepEqual([answer.status, answer.headers.get('Retry-After')], [503, '5']);
      assert.deepEqual(reasons, ['busy']);
      assert.match((await figures.text()).text, /^frozen_refusals_total\{reason="busy"\} 1$/m);
      release();
      assert.equal(await first, 200);
    });

    test('count all addresses of a /64 as one client, and those of another as another', async () => {
      const gate = await openGate();
      const flood = await underWay(times(60, n => buy(gate, `2001:db8:0:1:${n}::${n}`)));
      assert.equal(await afterRelease(buy(gate, '2001:db8:0:2::1')), 200);
      assert.deepEqual(counted(await Promise.all(flood)), {200: 12, 503: 48});
    });

    test('count an IPv4-mapped IPv6 address as the IPv4 address', async () => {
      const gate = await openGate();
      const flood = await underWay(times(60, n => buy(gate, n % 2 ? ONE : `::ffff:${ONE}`)));
      assert.equal(await afterRelease(buy(gate, `::ffff:${OTHER}`)), 200);
      assert.deepEqual(counted(await Promise.all(flood)), {200: 12, 503: 48});
    });

    test('let one payer that comes from many clients have 12, and others buy', async () => {
      const [gate, payer] = [await openGate(), newKey()];
      const flood = await underWay(times(60, async n => (await pay(gate, `192.0.2.${n}`, payer)).status));
      assert.equal(facilitator.asked, 12);
      assert.equal(await afterRelease(buy(gate, OTHER)), 200);
      assert.equal(counted(await Promise.all(flood))[503], 48);
    });

    test('are only in total and per payer if the host reports no clients', async () => {
      const gate = await openGate();
      const flood = await underWay(times(60, () => buy(gate)));
      release();
      assert.deepEqual(counted(await Promise.all(flood)), {200: 48, 503: 12});
    });

    test('are released after every verification, also after a failed one', async () => {
      const gate = await openGate();
      for (const manner of ['good', 'drop', 'garbage', 'error', {refuse: 'insufficient_funds'}] as const) {
        facilitator.verify = manner;
        await Promise.all(times(12, () => buy(gate, ONE)));
      }
      facilitator.verify = 'good';
      assert.deepEqual(counted(await Promise.all(times(12, () => buy(gate, ONE)))), {200: 12});
    });

    test('of contract wallets are 4 for one client and 16 in total, and leave capacity for keys', async () => {
      const [gate, forged] = [await openGate(), forger(challenge, 700)];
      const claim = async (client: string) => (await send(gate, client, forged())).status;
      void (await underWay(times(10, () => claim(ONE))));
      assert.equal(facilitator.asked, 4);
      void (await underWay(times(60, n => claim(`198.51.100.${n}`))));
      assert.equal(facilitator.asked, 16);
      assert.equal(await afterRelease(buy(gate, ONE)), 200);
    });

    test('come from the configuration', async () => {
      const gate = await openGate({MAX_VERIFICATIONS: 5, MAX_VERIFICATIONS_PER_CLIENT: 3});
      const ofOne = await underWay(times(10, () => buy(gate, ONE)));
      const ofMany = await underWay(times(10, n => buy(gate, `198.51.100.${n}`)));
      release();
      assert.deepEqual(counted(await Promise.all(ofOne)), {200: 3, 503: 7});
      assert.deepEqual(counted(await Promise.all(ofMany)), {200: 2, 503: 8});
    });
  });

  test('of waiting requests keep one client with several payers from shutting out another client', async () => {
    facilitator.verify = 'good';
    facilitator.settle = verifying;
    const gate = await openGate({MAX_WAITING_PER_CLIENT: 2});
    const payers = times(5, newKey);
    const sales = payers.map(payer => pay(gate, ONE, payer));
    await until(() => (facilitator.submitted.length === 5 ? true : undefined));
    // Each waits for the sale of its payer, which was started above.
    let answered = 0;
    const waiting = times(4, async n => {
      const {status} = await pay(gate, ONE, payers[n] ?? newKey());
      answered += 1;
      return status;
    });
    await until(() => (answered === 2 ? true : undefined));
    const other = pay(gate, OTHER, payers[4] ?? newKey());
    release();
    assert.deepEqual(counted(await Promise.all(waiting)), {200: 2, 409: 2});
    assert.equal((await other).status, 200);
    assert.ok((await Promise.all(sales)).every(({status}) => status === 200));
  });

  test('nothing is written before a payment is verified', async () => {
    const [gate, forged] = [await openGate(), forger(challenge)];
    await Promise.all(times(20, () => send(gate, ONE, forged())));
    const [unverified] = await underWay([buy(gate, ONE)]);
    assert.deepEqual(await ledger.list({limit: 10}), []);
    release();
    assert.equal(await unverified, 200);
    assert.equal((await ledger.list({limit: 10})).length, 1);
    facilitator.verify = {refuse: 'insufficient_funds'};
    await Promise.all(times(5, () => buy(gate, ONE)));
    assert.equal((await ledger.list({limit: 10})).length, 1);
  });

  describe('of a client over a socket', () => {
    test('ignore what a client says about itself, unless a header is configured', async () => {
      await using gate = await open({});
      const flood = await underWay(times(60, n => over(gate.url, '127.0.0.1', {'X-Forwarded-For': `192.0.2.${n}`})));
      assert.equal(await afterRelease(over(gate.url, '127.0.0.2')), 200);
      assert.deepEqual(counted(await Promise.all(flood)), {200: 12, 503: 48});
    });

    test('use the last address in the configured header', async () => {
      await using gate = await open({clientAddressHeader: 'X-Forwarded-For'});
      const via = (list: string) => over(gate.url, '127.0.0.1', {'X-Forwarded-For': list});
      const flood = await underWay(times(60, n => via(`203.0.113.${n}, ${ONE}`)));
      assert.equal(await afterRelease(via(`${ONE}, ${OTHER}`)), 200);
      assert.deepEqual(counted(await Promise.all(flood)), {200: 12, 503: 48});
    });

    for (const value of ['unknown', '', '192.0.2.1, not-an-address', '300.1.1.1', undefined])
      test(`use the address of the connection if the header is ${JSON.stringify(value)}`, async () => {
        await using gate = await open({clientAddressHeader: 'X-Real-IP', limits: {MAX_VERIFICATIONS_PER_CLIENT: 1}});
        const headers = value === undefined ? {} : {'X-Real-IP': value};
        const twice = await underWay(times(2, () => over(gate.url, '127.0.0.1', headers)));
        assert.equal(await afterRelease(over(gate.url, '127.0.0.2', headers)), 200);
        assert.deepEqual(counted(await Promise.all(twice)), {200: 1, 503: 1});
      });

    test('are released after the clients of 60 requests hung up', async () => {
      await using gate = await open({});
      const hangUp = new AbortController();
      const hungUp = times(60, async () => {
        const headers = {'PAYMENT-SIGNATURE': await paymentFor(challenge, newKey())};
        return (await fetch(gate.url + path, {headers, signal: hangUp.signal})).status;
      });
      const ended = Promise.allSettled(hungUp);
      void (await underWay(hungUp.map(request => request.catch(() => 0))));
      hangUp.abort();
      assert.equal((await ended).filter(({status}) => status === 'rejected').length, 12);
      release();
      const statuses = await until(async () => {
        const statuses = await Promise.all(times(12, () => over(gate.url, '127.0.0.1')));
        return statuses.every(status => status === 200) ? statuses : undefined;
      });
      assert.equal(statuses.length, 12);
    });
  });

  /** Resolves when each request is answered, or its payment is being verified. */
  async function underWay(requests: Promise<number>[]): Promise<Promise<number>[]> {
    const {asked} = facilitator;
    let answered = 0;
    for (const request of requests) void request.then(() => (answered += 1));
    await until(() => (facilitator.asked - asked + answered >= requests.length ? true : undefined));
    return requests;
  }

  /** Lets the verifications end when one more request has arrived, and returns its status. */
  async function afterRelease(request: Promise<number>): Promise<number> {
    void (await underWay([request]));
    release();
    return request;
  }

  async function openGate(limits: Partial<Limits> = {}, log?: (line: AccessLine) => void): Promise<Hono<GateEnv>> {
    const services = openServices({
      ledger,
      facilitator: new HttpFacilitator(facilitator.url),
      recover: recoverOnNode,
      keepAlive: () => undefined,
      limits,
    });
    return createGate({
      ...(await openSite(site.root)),
      services,
      log,
    });
  }

  const open = (options: GateOptions) => startGate(site.root, facilitator.url, {ledger, ...options});

  async function send(gate: Hono<GateEnv>, client: string | undefined, payment: string): Promise<Response> {
    return gate.request(path, {headers: {'PAYMENT-SIGNATURE': payment}}, {clientAddress: client});
  }

  async function pay(gate: Hono<GateEnv>, client: string | undefined, payer: PrivateKeyAccount): Promise<Response> {
    return send(gate, client, await paymentFor(challenge, payer));
  }

  /** Buys with a new key. */
  async function buy(gate: Hono<GateEnv>, client?: string): Promise<number> {
    return (await pay(gate, client, newKey())).status;
  }

  /** Buys with a new key, over a connection from a local address. */
  async function over(url: string, localAddress: string, headers: Record<string, string> = {}): Promise<number> {
    const payment = await paymentFor(challenge, newKey());
    const asked = request(url + path, {localAddress, headers: {...headers, 'PAYMENT-SIGNATURE': payment}}).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  }
});

function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

function times<T>(count: number, act: (n: number) => T): T[] {
  return Array.from({length: count}, (_, n) => act(n));
}

function counted(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
