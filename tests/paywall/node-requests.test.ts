import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {Hono} from 'hono';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Move, NewSale} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {newSale} from '../ledger/new-sale.ts';
import {baseUrl, fixtureSite, type FixtureSite} from './fixture-site.ts';
import {encoded, forge, forger} from './forge.ts';
import {decoded, type Challenge} from './hand-made.ts';
import {path, until} from './shop.ts';
import {signedIn} from './sign-in.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const network = 'eip155:84532';
const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'];
const newKey = () => privateKeyToAccount(generatePrivateKey());

describe('requests to the node', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let node: Listening;
  let gate: Listening;
  let challenge: Challenge;
  /** The methods of the requests to the node, except that for the chain's identifier, which is requested once. */
  let methods: string[];
  /** Requests that the node has not answered. */
  let held: number;
  let holding: Promise<void>;
  let release: () => void;

  before(async () => {
    site = await fixtureSite();
    facilitator = await startStandIn();
  });
  beforeEach(async () => {
    [methods, held, holding, release] = [[], 0, Promise.resolve(), () => undefined];
    // No address has code.
    node = await listen(
      new Hono().post('*', async c => {
        const {id, method} = await c.req.json<{id: number; method: string}>();
        if (method === 'eth_chainId') return c.json({jsonrpc: '2.0', id, result: '0x14a34'});
        methods.push(method);
        held += 1;
        await holding;
        held -= 1;
        return c.json({jsonrpc: '2.0', id, result: '0x'});
      }),
    );
    ledger = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {
      ledger,
      rpcUrl: node.url,
      clientAddressHeader: 'X-Client',
      reconciling: {everyMs: 3_600_000, lagMs: 0},
    });
    challenge = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
  });
  afterEach(async () => {
    release();
    await gate.stop();
    await node.stop();
    await ledger.close();
  });
  after(async () => {
    await facilitator.stop();
    await site.remove();
  });

  test('are not made for the sign-in of a wallet that never bought', async () => {
    const signature = `0x${'ab'.repeat(90)}`;
    const header = await signedIn(gate.url + path, newKey(), {payload: {signature}});
    assert.equal(await send({'SIGN-IN-WITH-X': header}, ONE), 402);
    assert.deepEqual(methods, []);
  });

  test('are not made for a payment by a new key, which the facilitator verifies', async () => {
    assert.equal(await send({'PAYMENT-SIGNATURE': encoded(await forge(challenge, newKey()))}, ONE), 200);
    assert.deepEqual(methods, []);
  });

  test('are one for two forged payments in the name of a payer with a declined sale', async () => {
    const victim = newKey().address;
    await recorded({payer: victim, validBefore: Math.floor(Date.now() / 1000) + 300}, [
      {to: 'declined', reason: 'insufficient_funds'},
    ]);
    for (let payment = 0; payment < 2; payment++) {
      const forged = await forge(challenge, newKey(), {authorization: {from: victim}});
      assert.equal(await send({'PAYMENT-SIGNATURE': encoded(forged)}, ONE), 402);
    }
    assert.deepEqual(methods, ['eth_getCode']);
  });

  test('are 4 at a time for the invented contract wallets of one client, and do not delay other clients', async () => {
    hold();
    const forged = forger(challenge, 700);
    const pay = (client: string) => send({'PAYMENT-SIGNATURE': forged()}, client);
    await assertFourOfOneClient(
      () => pay(ONE),
      () => pay(OTHER),
    );
  });

  test('are 4 at a time for sign-ins of one client in the name of a buyer, and do not delay other clients', async () => {
    const buyers = Array.from({length: 21}, () => newKey());
    const sha256 = site.catalogue.products[0]?.paid.sha256 ?? assert.fail();
    for (const {address} of buyers)
      await recorded({payer: address, sha256}, [{to: 'settled', transaction: '0x1'}, {to: 'delivered'}]);
    const headers = await Promise.all(
      buyers.map(({address}) =>
        signedIn(gate.url + path, newKey(), {payload: {address, signature: `0x${'ab'.repeat(90)}`}}),
      ),
    );
    hold();
    const signIn = (client: string) => send({'SIGN-IN-WITH-X': headers.pop() ?? assert.fail()}, client);
    await assertFourOfOneClient(
      () => signIn(ONE),
      () => signIn(OTHER),
    );
  });

  /**
   * Sends 20 requests of one client and one of another. The node receives four of the first client and that of the
   * other. More requests could take longer than the gate waits for the node.
   */
  async function assertFourOfOneClient(ofOne: () => Promise<number>, ofOther: () => Promise<number>): Promise<void> {
    let answered = 0;
    const flood = Array.from({length: 20}, () => ofOne().finally(() => (answered += 1)));
    await until(() => (held + answered >= 20 ? true : undefined));
    assert.equal(held, 4);
    const other = ofOther();
    await until(() => (held === 5 ? true : undefined));
    release();
    assert.equal(await other, 402);
    assert.equal((await Promise.all(flood)).filter(status => status === 503).length, 16);
  }

  function hold(): void {
    holding = new Promise(resolve => (release = resolve));
  }

  async function recorded(changes: Partial<NewSale> & {payer: string}, moves: readonly Move[]): Promise<void> {
    const sale = newSale({network, url: baseUrl + path, ...changes, payer: changes.payer.toLowerCase()});
    assert.equal(await ledger.start(sale, 'me'), true);
    for (const [n, move] of moves.entries())
      assert.equal(await ledger.move(sale.key, 'me', move, n < moves.length - 1), true);
  }

  async function send(headers: Record<string, string>, client: string): Promise<number> {
    const response = await fetch(gate.url + path, {headers: {...headers, 'X-Client': client}});
    await response.arrayBuffer();
    return response.status;
  }
});

test('a gate that stops accepts no request, also while it compares a ledger with the chain', async () => {
  const site = await fixtureSite();
  const ledger = await openSqlite(':memory:');
  let finish: (() => void) | undefined;
  ledger.list = () =>
    new Promise(resolve => {
      finish = () => {
        resolve([]);
      };
    });
  const gate = await startGate(site.root, baseUrl, {ledger, reconciling: {everyMs: 1, lagMs: 0}});
  await until(() => finish);
  const stopped = gate.stop();
  await assert.rejects(fetch(gate.url));
  finish?.();
  await stopped;
  await ledger.close();
  await site.remove();
});
