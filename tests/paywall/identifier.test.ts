import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {x402Client} from '@x402/core/client';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {appendPaymentIdentifierToExtensions, generatePaymentId} from '@x402/extensions/payment-identifier';
import {wrapFetchWithPayment} from '@x402/fetch';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, type FixtureOptions, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {afterDelivery, decoded} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';

describe('a payment with an idempotency key', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;
  let id: string;

  before(async () => {
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    ledger = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {ledger});
    buyer = privateKeyToAccount(generatePrivateKey());
    id = generatePaymentId();
  });
  afterEach(async () => {
    await gate.stop();
    await facilitator.stop();
    await ledger.close();
  });
  after(() => site.remove());

  test('gets the same response again, and is settled once', async () => {
    const payment = await signed({id});
    const answers = [await pay(payment), await pay(payment), await pay(payment)];
    assert.deepEqual(
      answers.map(({status}) => status),
      [200, 200, 200],
    );
    for (const answer of answers) assert.equal(await answer.text(), site.files.get(path));
    assert.deepEqual(new Set(answers.map(answer => decoded(answer, 'PAYMENT-RESPONSE').transaction)).size, 1);
    assert.equal(facilitator.submitted.length, 1);
  });

  test('is settled once if it arrives many times concurrently, and then gets the same response', async () => {
    facilitator.settle = 300;
    const payment = await signed({id});
    const answers = await Promise.all(Array.from({length: 10}, () => pay(payment)));
    for (const {status, headers} of answers)
      assert.ok(status === 200 || (status === 409 && headers.get('Retry-After') !== null), String(status));
    assert.equal(await (await pay(payment)).text(), site.files.get(path));
    assert.equal(facilitator.submitted.length, 1);
  });

  test('gets its response after a lost connection, and after it expired', async () => {
    facilitator.settle = 'drop';
    const payment = await signed({id, seconds: 8});
    assert.equal((await pay(payment)).status, 503);
    facilitator.settle = 'good';
    assert.equal((await pay(payment)).status, 200);
    await sleep(8_500);
    assert.equal((await pay(payment)).status, 200);
    assert.equal(
      await reasonOf(await pay(await signed({id: generatePaymentId(), seconds: -1}))),
      `${EXACT}_valid_before`,
    );
  });

  test('gets its document under new terms too, is not declined before its outcome is known, and is not bought for the former price', async () => {
    const accepts = [{network: 'eip155:84532', pay_to: `0x${'ab'.repeat(20)}`}];
    const alter: FixtureOptions['alter'] = ({rules, catalogue}) => {
      for (const each of [...rules.rules, ...catalogue.products]) each.price = '$0.05';
    };
    const dearer = await fixtureSite({accepts, alter});
    const newGate = await startGate(dearer.root, facilitator.url, {ledger});
    facilitator.settle = 'drop';
    const payment = await signed({id});
    assert.equal((await pay(payment)).status, 503);
    const again = () => fetch(newGate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
    assert.equal((await again()).status, 503);
    facilitator.settle = 'good';
    assert.equal(await (await again()).text(), site.files.get(path));
    assert.equal(await (await again()).text(), site.files.get(path));
    const [{amount}] = (await ledger.list({limit: 2})) as [Sale];
    assert.equal(amount, '20000');
    const settled = facilitator.submitted.length;
    const other = await signed({id: generatePaymentId()});
    const refused = await fetch(newGate.url + path, {headers: {'PAYMENT-SIGNATURE': other}});
    assert.deepEqual([refused.status, await reasonOf(refused)], [402, 'No matching payment requirements']);
    assert.equal(facilitator.submitted.length, settled);
    await newGate.stop();
    await dearer.remove();
  });

  test('that collected the document of an earlier payment gets it again, and is never charged', async () => {
    facilitator.settle = 'drop';
    assert.equal((await pay(await signed({id}))).status, 503);
    facilitator.settle = 'good';
    const itsId = generatePaymentId();
    const collecting = await signed({id: itsId});
    assert.equal(await (await pay(collecting)).text(), site.files.get(path));
    assert.equal(facilitator.submitted.length, 2);
    await afterDelivery();
    // As a client does whose answer was lost on the way.
    assert.equal(await (await pay(collecting)).text(), site.files.get(path));
    assert.equal(await reasonOf(await pay(renamed(collecting, undefined))), 'invalid_exact_evm_nonce_already_used');
    assert.equal((await pay(await signed({id: itsId}))).status, 409);
    assert.equal(facilitator.submitted.length, 2);
    assert.equal((await pay(await signed({id: generatePaymentId()}))).status, 200);
  });

  test('lets no other payment have its name', async () => {
    assert.equal((await pay(await signed({id}))).status, 200);
    const settled = facilitator.submitted.length;
    const otherKey = privateKeyToAccount(generatePrivateKey());
    const others = [
      await pay(await signed({id})),
      await pay(await signed({id, by: otherKey})),
      await pay(await signed({id, at: '/api/v1/webhookbundle'}), '/api/v1/webhookbundle'),
    ];
    for (const other of others) {
      assert.equal(other.status, 409);
      assert.equal(other.headers.get('Retry-After'), null);
      assert.match(await other.text(), /another payment has this payment-identifier/i);
    }
    assert.equal(facilitator.submitted.length, settled);
  });

  test('does not buy another document of the same price, also before its document was collected', async () => {
    const other = '/api/v1/firstlastsame';
    for (const settle of ['drop', 'good'] as const) {
      facilitator.settle = settle;
      const payment = await signed({id: generatePaymentId()});
      await pay(payment);
      facilitator.settle = 'good';
      assert.equal((await pay(unaddressed(payment), other)).status, 409);
      assert.equal(await (await pay(payment)).text(), site.files.get(path));
      assert.equal((await pay(unaddressed(payment), other)).status, 409);
    }
  });

  test('is refused without its key, and with another one', async () => {
    const payment = await signed({id});
    assert.equal((await pay(payment)).status, 200);
    for (const name of [undefined, generatePaymentId()])
      assert.equal(await reasonOf(await pay(renamed(payment, name))), 'invalid_exact_evm_nonce_already_used');
  });

  test('releases its key if it is declined', async () => {
    facilitator.settle = {refuse: 'insufficient_funds'};
    assert.equal(await reasonOf(await pay(await signed({id}))), 'insufficient_funds');
    facilitator.settle = 'good';
    assert.equal((await pay(await signed({id}))).status, 200);
  });

  test('is refused if the document has changed', async () => {
    const payment = await signed({id});
    assert.equal((await pay(payment)).status, 200);
    const find = ledger.find.bind(ledger);
    ledger.find = async (...asked) => {
      const {same, ...entries} = await find(...asked);
      return {...entries, same: same && {...same, sha256: '00'.repeat(32)}};
    };
    assert.equal(await reasonOf(await pay(payment)), 'document_changed');
  });

  test('has a key of 16 to 128 letters, digits, - and _', async () => {
    for (const name of ['', 'short', 'x'.repeat(129), 'with a blank in it', 7, null])
      assert.equal(await reasonOf(await pay(await signed({id: name}))), 'invalid_payment_identifier');
    assert.equal(facilitator.asked, 0);
  });

  test('can come from a stock client', async () => {
    const client = new x402Client().register('eip155:84532', new ExactEvmScheme(buyer));
    client.onBeforePaymentCreation(({paymentRequired}) => {
      appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {}, id);
      return Promise.resolve();
    });
    const buy = wrapFetchWithPayment(fetch, client);
    assert.equal((await buy(gate.url + path)).status, 200);
    const [sale] = await ledger.list({limit: 1});
    assert.equal(sale?.paymentId, id);
    assert.equal((await buy(gate.url + path)).status, 409);
  });

  interface Signing {
    readonly id: unknown;
    readonly seconds?: number;
    readonly by?: PrivateKeyAccount;
    readonly at?: string;
  }

  async function signed({id, seconds = 300, by = buyer, at = path}: Signing): Promise<string> {
    const challenge = decoded(await fetch(gate.url + at), 'PAYMENT-REQUIRED');
    const validBefore = String(Math.floor(Date.now() / 1000) + seconds);
    const extensions = {'payment-identifier': {info: {required: false, id}}};
    await afterDelivery();
    return encoded(await forge(challenge, by, {authorization: {validBefore}, root: {extensions}}));
  }

  function pay(payment: string, at = path): Promise<Response> {
    return fetch(gate.url + at, {headers: {'PAYMENT-SIGNATURE': payment}});
  }
});

const EXACT = 'invalid_exact_evm_payload_authorization';

/** Returns the same signature with another key, or without one. */
function renamed(payment: string, id: string | undefined): string {
  const {extensions, ...unnamed} = JSON.parse(Buffer.from(payment, 'base64').toString()) as {extensions: object};
  const renamed = {...extensions, 'payment-identifier': {info: {required: false, id}}};
  return encoded(id === undefined ? unnamed : {...unnamed, extensions: renamed});
}

/** Returns the same payment without the address of its document. */
function unaddressed(payment: string): string {
  const members = JSON.parse(Buffer.from(payment, 'base64').toString()) as object;
  return encoded({...members, resource: undefined});
}

function reasonOf(response: Response): Promise<string | undefined> {
  assert.equal(response.status, 402);
  return Promise.resolve(decoded(response, 'PAYMENT-REQUIRED').error);
}
