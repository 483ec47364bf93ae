import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {baseUrl, fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {lengthen, path, until} from './shop.ts';
import {signedIn, type SignInForgery} from './sign-in.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const other = '/api/v1/firstlastsame';
const inAMinute = () => new Date(Date.now() + 60_000).toISOString();
const tenMinutesAgo = () => new Date(Date.now() - 600_000).toISOString();

const forgeries: Record<string, [forgery: () => SignInForgery, reason: string]> = {
  'no signature': [() => ({payload: {signature: ''}}), 'invalid_siwx_payload'],
  'a signature that is no hex': [() => ({payload: {signature: '0xzz'}}), 'invalid_siwx_payload'],
  'a signature of zeros': [() => ({payload: {signature: `0x${'0'.repeat(130)}`}}), 'invalid_siwx_signature'],
  'a contract wallet, where no node is asked': [
    () => ({payload: {signature: `0x${'ab'.repeat(90)}`}}),
    'siwx_contract_wallet_not_supported',
  ],
  'an address that is none': [() => ({payload: {address: '0x1'}}), 'invalid_siwx_payload'],
  'another address': [
    // The ledger is read before the signature is checked.
    () => ({payload: {address: privateKeyToAccount(generatePrivateKey()).address}}),
    'siwx_not_paid',
  ],
  'another document': [() => ({info: {uri: baseUrl + other}}), 'invalid_siwx_uri_mismatch'],
  'another document, signed for this one': [() => ({payload: {uri: baseUrl + other}}), 'invalid_siwx_uri_mismatch'],
  'the origin alone': [() => ({info: {uri: baseUrl}}), 'invalid_siwx_uri_mismatch'],
  'another domain': [() => ({payload: {domain: 'evil.example'}}), 'invalid_siwx_domain_mismatch'],
  'another chain': [() => ({info: {chainId: 'eip155:8453'}}), 'invalid_siwx_unsupported_chain'],
  'another chain, signed for this one': [() => ({payload: {chainId: 'eip155:8453'}}), 'invalid_siwx_unsupported_chain'],
  'a moment in the future': [() => ({info: {issuedAt: inAMinute()}}), 'invalid_siwx_issued_at_in_future'],
  'an old moment': [() => ({info: {issuedAt: tenMinutesAgo()}}), 'invalid_siwx_issued_at_too_old'],
  'a moment that is over': [() => ({info: {expirationTime: tenMinutesAgo()}}), 'invalid_siwx_expired'],
  'a later end than was signed': [() => ({payload: {expirationTime: inAMinute()}}), 'invalid_siwx_signature'],
  'a nonce of its own kind': [() => ({info: {nonce: 'abcdefgh'}}), 'invalid_siwx_nonce'],
  'another nonce than was signed': [() => ({payload: {nonce: '0'.repeat(32)}}), 'invalid_siwx_signature'],
  'another statement': [() => ({info: {statement: 'Hello.'}}), 'invalid_siwx_signature'],
};

describe('a document that was bought', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let books: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;
  const sold = () => site.files.get(path) ?? assert.fail();

  before(async () => {
    facilitator = await startStandIn();
  });
  beforeEach(async () => {
    site = await fixtureSite();
    books = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {ledger: books});
    buyer = privateKeyToAccount(generatePrivateKey());
    assert.equal((await pay()).status, 200);
    await until(async () => ((await saleNow()).state === 'delivered' ? true : undefined));
    facilitator.submitted.length = 0;
  });
  afterEach(async () => {
    await gate.stop();
    await books.close();
    await site.remove();
  });
  after(() => facilitator.stop());

  test('comes again to who signs in, with the receipt, and is not charged', async () => {
    for (let time = 0; time < 3; time++) {
      const answer = await ask(await header());
      assert.equal(await answer.text(), sold());
      assert.equal(answer.headers.get('Cache-Control'), 'private, no-store');
      assert.equal(decoded(answer, 'PAYMENT-RESPONSE').transaction, (await saleNow()).transaction);
    }
    assert.equal(facilitator.submitted.length, 0);
  });

  test('comes again from another gate over the same books', async () => {
    await using second = await startGate(site.root, facilitator.url, {ledger: books});
    assert.equal(await (await ask(await header(), {at: second.url + path})).text(), sold());
  });

  for (const [name, [forgery, reason]] of Object.entries(forgeries))
    test(`does not come for ${name}`, async () => refused(await ask(await header(forgery())), reason));

  for (const [name, text] of [
    ['nothing', ''],
    ['no base64', '!!!'],
    ['base64 of no JSON', 'aGVsbG8='],
    ['base64 of other JSON', 'W10='],
  ] as const)
    test(`does not come for a header of ${name}`, async () => refused(await ask(text), 'invalid_siwx_payload'));

  test('comes to nobody else, and is no other document', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    await refused(await ask(await signedIn(gate.url + path, stranger)), 'siwx_not_paid');
    await refused(await ask(await signedIn(gate.url + other, buyer), {at: gate.url + other}), 'siwx_not_paid');
    await refused(await ask(await signedIn(gate.url + other, buyer)), 'invalid_siwx_uri_mismatch');
  });

  test('comes once for a header that is sent 100 times at once', async () => {
    const signed = await header();
    const answers = await Promise.all(Array.from({length: 100}, () => ask(signed)));
    assert.equal(answers.filter(({status}) => status === 200).length, 1);
    // More than one payer can have verified at a time are answered with 503.
    for (const answer of answers) if (answer.status === 402) await refused(answer, 'invalid_siwx_nonce');
    await refused(await ask(signed), 'invalid_siwx_nonce');
  });

  test('comes to nobody once it was paid back, or the chain took the payment back', async () => {
    const {key} = await saleNow();
    const ways = [
      () => books.refund(key, '0xaa'),
      async () => {
        await pay();
        const [sale] = (await books.list({states: ['settled', 'delivered'], limit: 9})).filter(one => one.key !== key);
        await until(async () => (await books.lease(sale?.key ?? '', 'me', ['settled', 'delivered'])) ?? undefined);
        assert.equal(await books.move(sale?.key ?? '', 'me', {to: 'unpaid', reason: 'taken back'}), true);
      },
    ];
    for (const takeBack of ways) {
      await takeBack();
      await refused(await ask(await header()), 'siwx_not_paid');
    }
  });

  test('is delivered by that where it had not arrived, and then owed no more', async () => {
    const late = privateKeyToAccount(generatePrivateKey());
    const sale = {...(await saleNow()), key: 'late', payer: late.address.toLowerCase()};
    await books.start(sale, 'me');
    await refused(await ask(await signedIn(gate.url + path, late)), 'siwx_not_paid');
    await books.move('late', 'me', {to: 'settled', transaction: '0x1'});
    assert.equal(await (await ask(await signedIn(gate.url + path, late))).text(), sold());
    await until(async () => ((await books.find('late', sale)).same?.state === 'delivered' ? true : undefined));
  });

  test('is neither given nor sold where the books do not say', async () => {
    books.bought = () => Promise.reject(new Error('out of reach'));
    const answer = await ask(await header(), {payment: await payment()});
    assert.equal(answer.status, 503);
    assert.equal(facilitator.submitted.length, 0);
  });

  test('is sold to who has not bought it and sends both headers, and not to who has', async () => {
    assert.equal(await (await ask(await header(), {payment: await payment()})).text(), sold());
    assert.equal(facilitator.submitted.length, 0);
    buyer = privateKeyToAccount(generatePrivateKey());
    assert.equal(await (await ask(await header(), {payment: await payment()})).text(), sold());
    assert.equal(facilitator.submitted.length, 1);
  });

  describe('once another snapshot is for sale', () => {
    let later: Listening;
    let text: string;
    const sha256 = () => site.catalogue.products[0]?.paid.sha256 ?? assert.fail();
    const at = () => later.url + path;

    beforeEach(async () => {
      text = await lengthen(site.root, 2_000_000);
      later = await startGate(site.root, facilitator.url, {ledger: books});
    });
    afterEach(() => later.stop());

    test('comes by its digest, from the books', async () => {
      const answer = await ask(await header(), {at: at(), sha256: sha256()});
      assert.equal(await answer.text(), sold());
      assert.equal(answer.headers.get('Content-Type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('Cache-Control'), 'private, no-store');
    });

    test('the other one is to be paid for, and comes in several parts when it is old itself', async () => {
      await refused(await ask(await header(), {at: at()}), 'siwx_not_paid');
      assert.equal(await (await pay(at())).text(), text);
      assert.equal(await (await ask(await header(), {at: at()})).text(), text);
      const sold = (await books.list({limit: 9})).find(one => one.sha256 !== sha256()) ?? assert.fail();
      await until(async () => (await books.isArchived(sold, 30)) || undefined);
      const former = await fixtureSite();
      await using gate = await startGate(former.root, facilitator.url, {ledger: books});
      assert.equal(await (await ask(await header(), {at: gate.url + path, sha256: sold.sha256})).text(), text);
      await former.remove();
    });

    test('comes to nobody else by its digest, and what is for sale is not sold in its place', async () => {
      await refused(await ask(undefined, {at: at(), sha256: sha256()}), 'document_changed');
      const both = {at: at(), sha256: sha256(), payment: await payment(at())};
      await refused(await ask(undefined, both), 'document_changed');
      buyer = privateKeyToAccount(generatePrivateKey());
      await refused(await ask(await header(), both), 'siwx_not_paid');
      for (const sha256 of ['', '*', '0'.repeat(64), "' OR 1=1 --"])
        await refused(await ask(await header(), {at: at(), sha256}), 'siwx_not_paid');
      assert.equal(facilitator.submitted.length, 0);
    });

    test('is gone when it is kept no more', async () => {
      books.archivedPart = () => Promise.resolve(undefined);
      const answer = await ask(await header(), {at: at(), sha256: sha256()});
      assert.equal(answer.status, 410);
      assert.equal(answer.headers.get('PAYMENT-RESPONSE'), null);
    });
  });

  describe('on a site that no longer includes downloads', () => {
    let strict: FixtureSite;
    let later: Listening;

    beforeEach(async () => {
      const alter = ({rules, catalogue}: object & Record<'rules' | 'catalogue', object>) => {
        for (const file of [rules, catalogue]) Object.assign(file, {redownload_days: 0});
      };
      strict = await fixtureSite({alter});
      later = await startGate(strict.root, facilitator.url, {ledger: books});
    });
    afterEach(async () => {
      await later.stop();
      await strict.remove();
    });

    test('can be downloaded for the days that it was sold with', async () => {
      const at = later.url + path;
      const answer = await ask(await signedIn(at, buyer), {at});
      assert.equal(answer.status, 200, await answer.clone().text());
      assert.equal(await answer.text(), sold());
    });

    test('cannot be downloaded again if it was sold there', async () => {
      buyer = privateKeyToAccount(generatePrivateKey());
      const at = later.url + path;
      assert.equal((await pay(at)).status, 200);
      await refused(await ask(await signedIn(at, buyer), {at}), 'siwx_not_paid');
    });
  });

  function header(forgery?: SignInForgery): Promise<string> {
    return signedIn(gate.url + path, buyer, forgery);
  }

  interface Asking {
    readonly at?: string;
    readonly payment?: string;
    readonly sha256?: string;
  }

  function ask(signIn: string | undefined, {at = gate.url + path, payment, sha256}: Asking = {}): Promise<Response> {
    const headers = {
      ...(signIn !== undefined && {'SIGN-IN-WITH-X': signIn}),
      ...(payment !== undefined && {'PAYMENT-SIGNATURE': payment}),
      ...(sha256 !== undefined && {'Snapshot-SHA256': sha256}),
    };
    return fetch(at, {headers});
  }

  async function payment(at = gate.url + path): Promise<string> {
    return paymentFor(decoded(await fetch(at), 'PAYMENT-REQUIRED'), buyer);
  }

  async function pay(at = gate.url + path): Promise<Response> {
    return fetch(at, {headers: {'PAYMENT-SIGNATURE': await payment(at)}});
  }

  async function saleNow() {
    const [sale] = await books.list({limit: 1});
    return sale ?? assert.fail();
  }

  async function refused(answer: Response, reason: string): Promise<void> {
    assert.equal(answer.status, 402, await answer.clone().text());
    assert.equal(decoded(answer, 'PAYMENT-REQUIRED').error, reason);
    assert.ok(!(await answer.text()).includes('CANARY'));
  }
});
