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
  'a signature that is not hex': [() => ({payload: {signature: '0xzz'}}), 'invalid_siwx_payload'],
  'a signature of zeros': [() => ({payload: {signature: `0x${'0'.repeat(130)}`}}), 'invalid_siwx_signature'],
  'a contract wallet, if there is no node': [
    () => ({payload: {signature: `0x${'ab'.repeat(90)}`}}),
    'siwx_contract_wallet_not_supported',
  ],
  'an invalid address': [() => ({payload: {address: '0x1'}}), 'invalid_siwx_payload'],
  'another address': [
    // The ledger is read before the signature is checked.
    () => ({payload: {address: privateKeyToAccount(generatePrivateKey()).address}}),
    'siwx_not_paid',
  ],
  'another document': [() => ({info: {uri: baseUrl + other}}), 'invalid_siwx_uri_mismatch'],
  'another document, signed for this one': [() => ({payload: {uri: baseUrl + other}}), 'invalid_siwx_uri_mismatch'],
  'only the origin': [() => ({info: {uri: baseUrl}}), 'invalid_siwx_uri_mismatch'],
  'another domain': [() => ({payload: {domain: 'evil.example'}}), 'invalid_siwx_domain_mismatch'],
  'another chain': [() => ({info: {chainId: 'eip155:8453'}}), 'invalid_siwx_unsupported_chain'],
  'another chain, signed for this one': [() => ({payload: {chainId: 'eip155:8453'}}), 'invalid_siwx_unsupported_chain'],
  'a time in the future': [() => ({info: {issuedAt: inAMinute()}}), 'invalid_siwx_issued_at_in_future'],
  'an old time': [() => ({info: {issuedAt: tenMinutesAgo()}}), 'invalid_siwx_issued_at_too_old'],
  'an expiration in the past': [() => ({info: {expirationTime: tenMinutesAgo()}}), 'invalid_siwx_expired'],
  'a later expiration than was signed': [() => ({payload: {expirationTime: inAMinute()}}), 'invalid_siwx_signature'],
  'a nonce of another form': [() => ({info: {nonce: 'abcdefgh'}}), 'invalid_siwx_nonce'],
  'another nonce than was signed': [() => ({payload: {nonce: '0'.repeat(32)}}), 'invalid_siwx_signature'],
  'another statement': [() => ({info: {statement: 'Hello.'}}), 'invalid_siwx_signature'],
};

describe('a document that was bought', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;
  const sold = () => site.files.get(path) ?? assert.fail();

  before(async () => {
    facilitator = await startStandIn();
  });
  beforeEach(async () => {
    site = await fixtureSite();
    ledger = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {ledger});
    buyer = privateKeyToAccount(generatePrivateKey());
    assert.equal((await pay()).status, 200);
    await until(async () => ((await saleNow()).state === 'delivered' ? true : undefined));
    facilitator.submitted.length = 0;
  });
  afterEach(async () => {
    await gate.stop();
    await ledger.close();
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

  test('can be downloaded again from another gate with the same ledger', async () => {
    await using second = await startGate(site.root, facilitator.url, {ledger});
    assert.equal(await (await ask(await header(), {at: second.url + path})).text(), sold());
  });

  for (const [name, [forgery, reason]] of Object.entries(forgeries))
    test(`is not sent for ${name}`, async () => refused(await ask(await header(forgery())), reason));

  for (const [name, text] of [
    ['nothing', ''],
    ['no base64', '!!!'],
    ['base64 of no JSON', 'aGVsbG8='],
    ['base64 of other JSON', 'W10='],
  ] as const)
    test(`is not sent for a header of ${name}`, async () => refused(await ask(text), 'invalid_siwx_payload'));

  test('is not sent to other accounts, and does not include another document', async () => {
    const otherKey = privateKeyToAccount(generatePrivateKey());
    await refused(await ask(await signedIn(gate.url + path, otherKey)), 'siwx_not_paid');
    await refused(await ask(await signedIn(gate.url + other, buyer), {at: gate.url + other}), 'siwx_not_paid');
    await refused(await ask(await signedIn(gate.url + other, buyer)), 'invalid_siwx_uri_mismatch');
  });

  test('is sent once for a header that is sent 100 times at once', async () => {
    const signed = await header();
    const answers = await Promise.all(Array.from({length: 100}, () => ask(signed)));
    assert.equal(answers.filter(({status}) => status === 200).length, 1);
    // Requests above the limit of concurrent verifications for a payer get a 503.
    for (const {status} of answers) assert.ok([200, 409, 503].includes(status), String(status));
  });

  test('is not charged if a proxy repeats the sign-in, whose client would pay after a 402', async () => {
    const signed = await header();
    assert.equal((await ask(signed)).status, 200);
    const again = await ask(signed);
    assert.deepEqual([again.status, again.headers.get('Retry-After')], [409, '5']);
    assert.match(await again.text(), /^(?!.*CANARY).*"Sign-in used"/);
    const payment = await paymentFor(decoded(await ask(undefined), 'PAYMENT-REQUIRED'), buyer);
    const headers = {'SIGN-IN-WITH-X': signed, 'PAYMENT-SIGNATURE': payment};
    assert.equal((await fetch(gate.url + path, {headers})).status, 409);
    assert.equal(facilitator.submitted.length, 0);
  });

  test('is not sent after a refund, or after a reorganisation removed the payment', async () => {
    const {key} = await saleNow();
    const ways = [
      () => ledger.refund(key, '0xaa'),
      async () => {
        await pay();
        const [sale] = (await ledger.list({states: ['settled', 'delivered'], limit: 9})).filter(one => one.key !== key);
        await until(async () => (await ledger.lease(sale?.key ?? '', 'me', ['settled', 'delivered'])) ?? undefined);
        assert.equal(await ledger.move(sale?.key ?? '', 'me', {to: 'unpaid', reason: 'reorganised'}), true);
      },
    ];
    for (const takeBack of ways) {
      await takeBack();
      await refused(await ask(await header()), 'siwx_not_paid');
    }
  });

  test('is delivered by a sign-in if it did not arrive before, and is then recorded as delivered', async () => {
    const late = privateKeyToAccount(generatePrivateKey());
    const sale = {...(await saleNow()), key: 'late', payer: late.address.toLowerCase()};
    await ledger.start(sale, 'me');
    await refused(await ask(await signedIn(gate.url + path, late)), 'siwx_not_paid');
    await ledger.move('late', 'me', {to: 'settled', transaction: '0x1'});
    assert.equal(await (await ask(await signedIn(gate.url + path, late))).text(), sold());
    await until(async () => ((await ledger.find('late', sale)).same?.state === 'delivered' ? true : undefined));
  });

  test('is neither sent nor sold if the ledger fails', async () => {
    ledger.bought = () => Promise.reject(new Error('out of reach'));
    const answer = await ask(await header(), {payment: await payment()});
    assert.equal(answer.status, 503);
    assert.equal(facilitator.submitted.length, 0);
  });

  test('is sold to a payer that sends both headers, unless the payer bought it before', async () => {
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
      later = await startGate(site.root, facilitator.url, {ledger});
    });
    afterEach(() => later.stop());

    test('is sent from the archive in the ledger if its digest is requested', async () => {
      const answer = await ask(await header(), {at: at(), sha256: sha256()});
      assert.equal(await answer.text(), sold());
      assert.equal(answer.headers.get('Content-Type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('Cache-Control'), 'private, no-store');
    });

    test('the new snapshot must be paid for, and is read in several parts when it is archived', async () => {
      await refused(await ask(await header(), {at: at()}), 'siwx_not_paid');
      assert.equal(await (await pay(at())).text(), text);
      assert.equal(await (await ask(await header(), {at: at()})).text(), text);
      const sold = (await ledger.list({limit: 9})).find(one => one.sha256 !== sha256()) ?? assert.fail();
      assert.ok(await ledger.isArchived(sold, 30));
      const earlier = await fixtureSite();
      await using gate = await startGate(earlier.root, facilitator.url, {ledger});
      assert.equal(await (await ask(await header(), {at: gate.url + path, sha256: sold.sha256})).text(), text);
      await earlier.remove();
    });

    test('is not sent to other accounts by its digest, and the document for sale is not sold instead', async () => {
      await refused(await ask(undefined, {at: at(), sha256: sha256()}), 'document_changed');
      const both = {at: at(), sha256: sha256(), payment: await payment(at())};
      await refused(await ask(undefined, both), 'document_changed');
      buyer = privateKeyToAccount(generatePrivateKey());
      await refused(await ask(await header(), both), 'siwx_not_paid');
      for (const sha256 of ['', '*', '0'.repeat(64), "' OR 1=1 --"])
        await refused(await ask(await header(), {at: at(), sha256}), 'siwx_not_paid');
      assert.equal(facilitator.submitted.length, 0);
    });

    test('is answered with 410 when it is no longer archived', async () => {
      ledger.archivedPart = () => Promise.resolve(undefined);
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
      later = await startGate(strict.root, facilitator.url, {ledger});
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
    const [sale] = await ledger.list({limit: 1});
    return sale ?? assert.fail();
  }

  async function refused(answer: Response, reason: string): Promise<void> {
    assert.equal(answer.status, 402, await answer.clone().text());
    assert.equal(decoded(answer, 'PAYMENT-REQUIRED').error, reason);
    assert.ok(!(await answer.text()).includes('CANARY'));
  }
});
