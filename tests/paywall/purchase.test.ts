import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {createSIWxPayload, encodeSIWxHeader} from '@x402/extensions/sign-in-with-x';
import type {Context} from 'hono';
import {privateKeyToAccount} from 'viem/accounts';
import type {Challenge, Refusal} from '../../paywall/http/challenge.ts';
import type {Delivery} from '../../paywall/http/deliver.ts';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {purchase} from '../../paywall/http/purchase.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import type {Settlement, Verdict} from '../../paywall/payments/facilitator/facilitator.ts';
import {DEFAULT_LIMITS, VerificationLimits} from '../../paywall/payments/limits.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {signInTerms} from '../../paywall/payments/protocol/sign-in-terms.ts';
import type {PaidSale} from '../../paywall/payments/sales/paid-sale.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {challengeOf} from './sign-in.ts';

const NOW = Date.now();
const PAYER = `0x${'Ab'.repeat(20)}`;
const KEY_SIGNATURE = `0x${'1'.repeat(128)}1b`;
const LONG_SIGNATURE = `0x${'ab'.repeat(90)}`;
const url = 'https://snapshots.example/api/v1/a';
const sha256 = 'ab'.repeat(32);
const BYTES = new Uint8Array([1, 2, 3]);
const requirements = {
  ...{scheme: 'exact', network: 'eip155:84532', asset: `0x${'c'.repeat(40)}`, amount: '20000'},
  ...{payTo: `0x${'d'.repeat(40)}`, maxTimeoutSeconds: 300, extra: {name: 'USDC', version: '2'}},
};
const offer = {
  ...{url, snapshot: {sha256, as_of: '2026-05-01'}, requirements: [requirements], redownloadDays: 30},
  ...{signIn: signInTerms(url, ['eip155:84532'])},
  ...{rule: {name: 'a', price: '$0.02'}, required: {resource: {url}}, discovery: () => Promise.resolve({})},
} as unknown as Offer; // other members are not used
const INVALID_SIGNATURE = 'invalid_exact_evm_signature';
const EXPIRED = 'invalid_exact_evm_payload_authorization_valid_before';
let payments = 0;

interface Sent {
  readonly id?: string | undefined;
  readonly signature?: string;
  readonly value?: string;
  /** Seconds from now. */
  readonly validFor?: number;
  /** True if it becomes valid only when it expires. */
  readonly isProof?: boolean;
  readonly nonce?: string;
}

/** A header PAYMENT-SIGNATURE. */
function paymentOf({
  id,
  signature = KEY_SIGNATURE,
  value = '20000',
  validFor = 200,
  isProof,
  nonce,
}: Sent = {}): string {
  const validBefore = String(Math.floor(NOW / 1000) + validFor);
  const authorization = {
    ...{from: PAYER, to: requirements.payTo, value, validAfter: isProof ? validBefore : '0', validBefore},
    nonce: nonce ?? `0x${String(++payments).padStart(64, '0')}`,
  };
  const extensions = id === undefined ? {} : {'payment-identifier': {info: {required: false, id}}};
  const payment = {
    x402Version: 2,
    resource: {url},
    accepted: requirements,
    payload: {signature, authorization},
    extensions,
  };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

interface World {
  readonly verdict?: Verdict | Promise<Verdict>;
  readonly settlement?: Settlement;
  readonly prepare?: Delivery['prepare'];
  readonly chain?: {readonly isSigned: boolean | 'no node' | undefined};
  readonly limits?: Partial<typeof DEFAULT_LIMITS>;
  /** The ledger of another gate. */
  readonly ledger?: Ledger;
}

const receipt = {success: true, transaction: '0x7', network: 'eip155:84532'} as const;

/** Returns a gate for one document. It returns the response that it would send. */
async function gateOf(t: TestContext, world: World = {}) {
  const ledger: Ledger = world.ledger ?? (await openSqlite(':memory:'));
  const clock = {now: NOW};
  const verified: unknown[][] = [];
  const services = {
    ...{ledger, timeoutMs: 1_000, clock: () => clock.now, keepAlive: () => undefined, recover: () => PAYER},
    facilitator: {
      host: 'x402.org',
      verify(...asked: unknown[]) {
        verified.push(asked);
        return Promise.resolve(world.verdict ?? {kind: 'valid'});
      },
      settle: () => Promise.resolve(world.settlement ?? {kind: 'settled', receipt}),
    },
    chain: world.chain && {
      find: () => Promise.resolve(undefined),
      isSigned: () => Promise.resolve(world.chain?.isSigned),
    },
    verifications: new VerificationLimits({...DEFAULT_LIMITS, ...world.limits}),
    waiting: new ConcurrencyLimit<'client' | 'payer'>({total: 9, client: 9, payer: 9}, 1_000),
  } as unknown as PaymentServices; // other members are not used
  const sales: PaidSale[] = [];
  const challenge = ((_: unknown, refusal?: Refusal) => ({refusal})) as unknown as Challenge;
  const delivery = {
    prepare: world.prepare ?? (() => Promise.resolve(BYTES)),
    deliver(_: unknown, paid: PaidSale, bytes?: Uint8Array) {
      paid.lease?.drop();
      sales.push(paid);
      return Promise.resolve({transaction: paid.receipt.transaction, bytes});
    },
  } as unknown as Delivery;
  const answer = purchase(offer, challenge, services, delivery);
  /** A summary of the response: a status with a reason, a refusal, or a delivery. */
  const request = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    let reason: string | undefined;
    const c = {
      req: {header: (name: string) => new Headers(headers).get(name) ?? undefined},
      env: {clientAddress: '192.0.2.1'},
      set: (name: string, value: string) => (reason = name === 'reason' ? value : undefined),
    } as unknown as Context<GateEnv>;
    const response = await answer(c, performance.now());
    if (!(response instanceof Response)) return response;
    const {title} = (await response.json()) as {title: string};
    return [response.status, reason ?? title, response.headers.get('Retry-After')];
  };
  if (!world.ledger) t.after(() => ledger.close());
  return {
    clock,
    ledger,
    sales,
    verified,
    request,
    pay: (sent?: Sent) => request({'PAYMENT-SIGNATURE': paymentOf(sent)}),
  };
}

const refused = (reason: string) => ({refusal: {reason}});
const later = (reason: string, status = 503) => [status, reason, '5'];
const delivered = {transaction: '0x7', bytes: BYTES};

test('a request without a payment receives the challenge', async t => {
  const {request} = await gateOf(t);
  assert.deepEqual(await request({}), {refusal: undefined});
  assert.deepEqual(await request({'Snapshot-SHA256': sha256}), {refusal: undefined});
  const other = {'Snapshot-SHA256': 'cd'.repeat(32)};
  assert.deepEqual(await request(other), refused('document_changed'));
  assert.deepEqual(await request({...other, 'PAYMENT-SIGNATURE': paymentOf()}), refused('document_changed'));
});

test('a payment buys the document', async t => {
  const {pay, ledger, sales, verified} = await gateOf(t);
  assert.deepEqual(await pay(), delivered);
  const [sale] = await ledger.list({limit: 9});
  const {payer, isProven, paymentId, state} = sale ?? {};
  assert.deepEqual(
    {payer, isProven, paymentId, state},
    {
      ...{payer: PAYER.toLowerCase(), isProven: true, paymentId: null, state: 'pending'},
    },
  );
  assert.equal(sales[0]?.receipt, receipt);
  assert.equal(sales[0].lease?.sale.key, sale?.key);
  const [payload, asked] = verified[0] ?? [];
  assert.deepEqual(asked, requirements);
  assert.deepEqual(Object.keys(payload as object), ['x402Version', 'resource', 'accepted', 'payload', 'extensions']);
});

for (const [v, usual] of [
  ['00', '1b'],
  ['01', '1c'],
] as const)
  test(`a payment that a key signed with ${v} as v is settled with ${usual}, which the token requires`, async t => {
    const {pay, ledger, sales, verified} = await gateOf(t);
    const signature = KEY_SIGNATURE.slice(0, -2) + v;
    const payment = {signature, id: 'pay_0123456789abcdef', nonce: `0x${'9'.repeat(64)}`};
    assert.deepEqual(await pay(payment), delivered);
    const sent = KEY_SIGNATURE.slice(0, -2) + usual;
    const [payload] = verified[0] as [{payload: {signature: string}}];
    assert.equal(payload.payload.signature, sent);
    const [sale] = await ledger.list({limit: 9});
    assert.ok(sale?.payload.includes(sent));
    await sales[0]?.lease?.sent('delivered');
    assert.deepEqual(await pay(payment), {...delivered, bytes: undefined});
  });

test('a payment collects a document that was paid and not delivered', async t => {
  const {pay, sales, verified} = await gateOf(t);
  await pay();
  await sales[0]?.lease?.sent('cut off');
  assert.deepEqual(await pay(), {...delivered, bytes: undefined});
  assert.equal(verified.length, 1);
});

test('a payment that has expired collects nothing', async t => {
  const {pay, sales} = await gateOf(t);
  await pay();
  await sales[0]?.lease?.sent('cut off');
  const late = {id: 'pay_0123456789abcdef', nonce: `0x${'9'.repeat(64)}`, validFor: -1};
  assert.deepEqual(await pay(late), refused(EXPIRED));
});

test('a gate with a clock that is ten minutes wrong charges nothing, and sells when it is right', async t => {
  const {request, clock, verified, ledger} = await gateOf(t);
  const headers = {'PAYMENT-SIGNATURE': paymentOf()};
  for (const [ms, reason] of [
    [600_000, EXPIRED],
    [-600_000, `${EXPIRED}_too_late`],
  ] as const) {
    clock.now = NOW + ms;
    assert.deepEqual(await request(headers), refused(reason));
  }
  assert.deepEqual([verified, await ledger.list({limit: 9})], [[], []]);
  clock.now = NOW;
  assert.deepEqual(await request(headers), delivered);
});

test('an authorization that is valid for at most six seconds collects a document and is never charged', async t => {
  const {pay, sales, verified, ledger} = await gateOf(t);
  const proof = {validFor: 6};
  assert.deepEqual(await pay(proof), refused(EXPIRED));
  assert.equal(verified.length, 0);
  assert.deepEqual(await ledger.list({limit: 9}), []);
  assert.deepEqual(await pay({validFor: 7}), delivered);
  await sales[0]?.lease?.sent('cut off');
  assert.deepEqual(await pay(proof), {...delivered, bytes: undefined});
});

test('an authorization that is never valid collects a document while it is not expired, and is never charged', async t => {
  const {pay, sales, verified, ledger} = await gateOf(t);
  const proof = {isProof: true};
  assert.deepEqual(await pay(proof), refused('invalid_exact_evm_payload_authorization_valid_after'));
  assert.equal(verified.length, 0);
  assert.deepEqual(await ledger.list({limit: 9}), []);
  assert.deepEqual(await pay(), delivered);
  await sales[0]?.lease?.sent('cut off');
  assert.deepEqual(await pay({...proof, validFor: 0}), refused(EXPIRED));
  assert.deepEqual(await pay(proof), {...delivered, bytes: undefined});
});

test('a payment with an idempotency key is answered again, also after it expired', async t => {
  const {request, pay, ledger, sales, clock} = await gateOf(t);
  const [nonce, id] = [`0x${'9'.repeat(64)}`, 'pay_0123456789abcdef'];
  const headers = {'PAYMENT-SIGNATURE': paymentOf({id, nonce, validFor: -1})};
  assert.deepEqual(await request(headers), refused(EXPIRED));
  assert.deepEqual(await request({'PAYMENT-SIGNATURE': paymentOf({id, nonce})}), delivered);
  await sales[0]?.lease?.sent('delivered');
  clock.now += 300_000;
  assert.deepEqual(await request({'PAYMENT-SIGNATURE': paymentOf({id, nonce})}), {...delivered, bytes: undefined});
  clock.now = NOW;
  // Another authorization with the same key.
  assert.deepEqual(await pay({id}), [409, 'conflict', null]);
  assert.equal((await ledger.list({limit: 9})).length, 1);
});

const cases: readonly [what: string, world: World, sent: Sent, answer: unknown][] = [
  ['of another amount', {}, {value: '1'}, refused('invalid_exact_evm_payload_authorization_value_mismatch')],
  ['that has expired', {}, {validFor: 0}, refused(EXPIRED)],
  ['that no key signed', {}, {signature: `0x${'1'.repeat(128)}99`}, refused(INVALID_SIGNATURE)],
  [
    'that no key signed, with a key',
    {},
    {signature: `0x${'1'.repeat(128)}99`, id: 'pay_0123456789abcdef'},
    refused(INVALID_SIGNATURE),
  ],
  ['that no contract signed', {chain: {isSigned: false}}, {signature: LONG_SIGNATURE}, refused(INVALID_SIGNATURE)],
  ['that a contract signed', {chain: {isSigned: true}}, {signature: LONG_SIGNATURE}, delivered],
  [
    'that a contract may have signed',
    {chain: {isSigned: undefined}},
    {signature: LONG_SIGNATURE},
    later('unavailable'),
  ],
  ['that a contract signed, without a node', {}, {signature: LONG_SIGNATURE}, delivered],
  [
    'that a contract signed, with a node of another network',
    {chain: {isSigned: 'no node'}},
    {signature: LONG_SIGNATURE},
    delivered,
  ],
  [
    'that no key signed, with a node of another network',
    {chain: {isSigned: 'no node'}},
    {signature: `0x${'1'.repeat(128)}99`},
    refused(INVALID_SIGNATURE),
  ],
  ['that the facilitator refuses', {verdict: {kind: 'invalid', reason: 'poor'}}, {}, refused('poor')],
  ['without a facilitator', {verdict: {kind: 'unavailable'}}, {}, later('unavailable')],
  ['without an outcome', {settlement: {kind: 'unknown'}}, {}, later('unknown')],
  ['that did not reach the facilitator', {settlement: {kind: 'unavailable'}}, {}, later('unavailable')],
  ['without a document', {prepare: () => Promise.resolve(undefined)}, {}, later('Not deliverable')],
  ['without a readable document', {prepare: () => Promise.reject(new Error('no disk'))}, {}, later('Not deliverable')],
];

test('a payment that another gate has sold meanwhile is not refused, although the facilitator refuses it now', async t => {
  const first = await gateOf(t);
  let refuse: (verdict: Verdict) => void = () => undefined;
  const verdict = new Promise<Verdict>(resolve => (refuse = resolve));
  const second = await gateOf(t, {ledger: first.ledger, verdict});
  const nonce = `0x${'e'.repeat(64)}`;
  const answered = second.pay({nonce});
  while (second.verified.length === 0) await sleep(1);
  assert.deepEqual(await first.pay({nonce}), delivered);
  refuse({kind: 'invalid', reason: 'nonce_already_used'});
  assert.deepEqual(await answered, later('in_flight', 409));
});

describe('a payment', () => {
  for (const [what, world, sent, answer] of cases)
    test(`${what} is answered with ${JSON.stringify(answer).slice(0, 60)}`, async t => {
      const {pay, ledger, verified} = await gateOf(t, world);
      assert.deepEqual(await pay(sent), answer);
      const [sale] = await ledger.list({limit: 9});
      const isOpen = answer === delivered || world.settlement?.kind === 'unknown';
      assert.equal(sale?.state, isOpen ? 'pending' : undefined);
      if (sale) assert.equal(sale.isProven, sent.signature === undefined || world.chain?.isSigned === true);
      if ((answer as Partial<ReturnType<typeof refused>>).refusal?.reason === INVALID_SIGNATURE)
        assert.equal(verified.length, 0);
    });

  test('that cannot be decoded is answered with 400', async t => {
    const {request} = await gateOf(t);
    assert.deepEqual(await request({'PAYMENT-SIGNATURE': 'x'}), {refusal: {reason: 'invalid_payload', status: 400}});
  });

  test('that is declined is answered with a receipt', async t => {
    const {pay} = await gateOf(t, {settlement: {kind: 'declined', reason: 'poor'}});
    const receipt = {
      ...{success: false, transaction: '', network: 'eip155:84532', payer: PAYER.toLowerCase(), amount: '20000'},
      errorReason: 'poor',
    };
    assert.deepEqual(await pay(), {refusal: {reason: 'poor', receipt}});
  });

  test('of an unknown signer does not read the ledger', async t => {
    const {pay, ledger} = await gateOf(t);
    const reads = t.mock.method(ledger, 'find');
    const signature = `0x${'1'.repeat(128)}99`;
    await pay({signature});
    assert.equal(reads.mock.callCount(), 0);
    await pay({signature, id: 'pay_0123456789abcdef'});
    await pay({signature: LONG_SIGNATURE});
    assert.equal(reads.mock.callCount(), 2);
  });

  for (const [method, answer] of [
    ['find', later('unavailable')],
    ['start', later('unavailable')],
  ] as const)
    test(`is answered with 503 if the ledger fails: ${method}`, async t => {
      const {pay, ledger, verified} = await gateOf(t);
      t.mock.method(ledger, method, () => Promise.reject(new Error('no disk')));
      assert.deepEqual(await pay(), answer);
      assert.equal(verified.length, method === 'find' ? 0 : 1);
    });

  for (const [what, world, sent] of [
    ['facilitator', {verdict: {kind: 'unavailable'}}, {}],
    ['node', {chain: {isSigned: undefined}}, {signature: LONG_SIGNATURE}],
  ] as const)
    test(`is not recorded without an answer of the ${what}`, async t => {
      const {pay, ledger} = await gateOf(t, world);
      const starts = t.mock.method(ledger, 'start');
      assert.deepEqual(await pay(sent), later('unavailable'));
      assert.equal(starts.mock.callCount(), 0);
    });

  test('is not recorded if the document cannot be read and archived', async t => {
    const {pay, ledger} = await gateOf(t, {prepare: () => Promise.reject(new Error('no disk'))});
    const starts = t.mock.method(ledger, 'start');
    assert.deepEqual(await pay(), later('Not deliverable'));
    assert.equal(starts.mock.callCount(), 0);
  });

  test('is answered with 409 if another sale of the document started meanwhile', async t => {
    const {pay, ledger} = await gateOf(t);
    t.mock.method(ledger, 'start', () => Promise.resolve(false));
    assert.deepEqual(await pay(), later('in_flight', 409));
  });

  test('is verified once if copies of it arrive at the same time', async t => {
    const {request, verified} = await gateOf(t, {verdict: sleep(50).then(() => ({kind: 'valid'}))});
    const headers = {'PAYMENT-SIGNATURE': paymentOf()};
    const answers = await Promise.all([request(headers), request(headers), request(headers)]);
    assert.deepEqual(answers, [delivered, later('in_flight', 409), later('in_flight', 409)]);
    assert.equal(verified.length, 1);
  });

  test('is answered with 503 if too many are verified', async t => {
    const verdict = sleep(50).then(() => ({kind: 'valid'}) as const);
    const {pay} = await gateOf(t, {verdict, limits: {MAX_VERIFICATIONS_PER_CLIENT: 1}});
    const answers = await Promise.all([pay(), pay()]);
    assert.deepEqual(answers, [delivered, later('busy')]);
  });
});

describe('a sign-in that is invalid', () => {
  const signIn = {'SIGN-IN-WITH-X': 'x'};
  const invalid = refused('invalid_siwx_payload');

  test('is refused without a payment', async t => {
    const {request} = await gateOf(t);
    assert.deepEqual(await request(signIn), {refusal: {kind: 'refused', ...invalid.refusal}});
  });

  test('buys with a payment, unless another document is requested', async t => {
    const {request} = await gateOf(t);
    const headers = {...signIn, 'PAYMENT-SIGNATURE': paymentOf()};
    assert.deepEqual(await request(headers), delivered);
    const other = {...headers, 'Snapshot-SHA256': 'cd'.repeat(32)};
    assert.deepEqual(await request(other), {refusal: {kind: 'refused', ...invalid.refusal}});
  });
});

test('a sign-in collects a bought document, also with a payment', async t => {
  const {request, pay, sales} = await gateOf(t);
  await pay();
  await sales[0]?.lease?.sent('delivered');
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
  for (const nonce of ['1', '2']) {
    const signed = await createSIWxPayload(challengeOf(offer, {nonce: nonce.repeat(32)}), account, url);
    const signIn = encodeSIWxHeader({...signed, address: PAYER.toLowerCase()});
    const headers = {'SIGN-IN-WITH-X': signIn, ...(nonce === '2' && {'PAYMENT-SIGNATURE': paymentOf()})};
    assert.deepEqual(await request(headers), {...delivered, bytes: undefined});
  }
});
