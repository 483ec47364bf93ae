import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {SALES_PATH} from '../../shared/paths.ts';
import {fixtureSite, type FixtureSite} from '../paywall/fixture-site.ts';
import {encoded, forge} from '../paywall/forge.ts';
import {decoded} from '../paywall/hand-made.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {startWorkerGate, type WorkerGate} from '../paywall/worker-gate.ts';
import {run} from './run.ts';

const TOKEN = 'a-secret-of-the-publisher';
const FROZEN_REFUNDS_TOKEN = 'another-secret-of-the-publisher';
const PURCHASES = 3;

interface Json {
  readonly sales: readonly Readonly<Record<string, string>>[];
  readonly figures: {readonly totals: readonly Readonly<Record<string, unknown>>[]};
}

describe('the sales of a Worker', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let [open, closed]: WorkerGate[] = [];

  before(async () => {
    [site, facilitator] = await Promise.all([fixtureSite(), startStandIn()]);
    open = await startWorkerGate(site, facilitator.url, undefined, {
      secrets: {FROZEN_SALES_TOKEN: TOKEN, FROZEN_REFUNDS_TOKEN},
    });
    closed = await startWorkerGate(site, facilitator.url);
    for (let bought = 0; bought < PURCHASES; bought++) await buy();
  });
  after(async () => {
    await Promise.all([open?.stop(), closed?.stop(), facilitator.stop()]);
    await site.remove();
  });

  for (const [name, gate, headers] of [
    ['without the secret', () => closed, {Authorization: `Bearer ${TOKEN}`}],
    ['without the secret, for an empty token', () => closed, {Authorization: 'Bearer '}],
    ['with another token', () => open, {Authorization: `Bearer ${TOKEN}x`}],
    ['with half a token', () => open, {Authorization: `Bearer ${TOKEN.slice(0, 5)}`}],
    ['without a token', () => open, {}],
  ] as const)
    test(`${name}, the response of the path is that of a missing one`, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'])
        for (const query of ['', '?limit=1', '?limit=x', '?key=x']) {
          const [asked, unknown] = await Promise.all(
            [SALES_PATH, '/api/v1/-/other'].map(path => fetch(`${gate()?.url}${path}${query}`, {method, headers})),
          );
          assert.equal(asked?.status, 404);
          assert.deepEqual(headersOf(asked), headersOf(unknown));
          assert.equal(await asked.text(), await unknown?.text());
        }
    });

  test('are listed for a request with the token, without payments that could be settled', async () => {
    const answer = await ask('?limit=2');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('Cache-Control') ?? '', /no-store/);
    assert.equal(answer.headers.get('Access-Control-Allow-Origin'), null);
    const body = await answer.text();
    assert.equal((JSON.parse(body) as {sales: unknown[]}).sales.length, 2);
    assert.ok(!/signature|payload/.test(body), body);
    for (const query of ['?limit=1001', '?limit=0', '?from=x', '?what=1', '?key=x&limit=1'])
      assert.equal((await ask(query)).status, 400, query);
  });

  test('are shown by the command, with the token from the environment', async () => {
    const {out, err} = await withToken(TOKEN, 'sales', '--json');
    const {sales, figures} = JSON.parse(out) as Json;
    assert.deepEqual(
      sales.map(({counts_as}) => counts_as),
      Array.from({length: PURCHASES}, () => 'income'),
      err,
    );
    assert.equal(figures.totals[0]?.['net'], '0.06');
    assert.equal(
      (await withToken(TOKEN, 'sales', '--json', '--until', '2000-01-01')).out.includes('"sales":[\n]'),
      true,
    );
    const wrong = await withToken('wrong-token', 'sales');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, / answers 404: its secret FROZEN_SALES_TOKEN is not set or differs/);
    assert.ok(!wrong.err.includes('wrong-token'));
    assert.match((await withToken(undefined, 'sales')).err, / requires a token$/m);
  });

  test('are recorded as refunded, once each', async () => {
    const {sales} = JSON.parse((await withToken(TOKEN, 'sales', '--json')).out) as Json;
    const [key = '', other = ''] = sales.map(sale => sale['key']);
    const transaction = `0x${'f2'.repeat(32)}`;
    const post = (body: object, token = FROZEN_REFUNDS_TOKEN) =>
      ask('', {method: 'POST', body: JSON.stringify(body)}, token);
    const note = async (body: object) => (await post(body)).text();
    const readOnly = await post({key, transaction}, TOKEN);
    assert.deepEqual([readOnly.status, (await ask('?limit=1', {}, FROZEN_REFUNDS_TOKEN)).status], [403, 200]);
    assert.match((await withToken(TOKEN, 'refund', key)).out, /^Refund +0\.02 USDC on Base Sepolia$/m);
    assert.equal(await note({key, transaction}), '{"noted":true}');
    assert.equal(await note({key: other, transaction}), '{"noted":false}');
    assert.equal(await note({key, transaction: 'x'}), '{"error":"malformed"}');
    assert.match((await withToken(TOKEN, 'refund', key)).err, /was refunded by 0x(f2){32}/);
    assert.match((await withToken(TOKEN, 'sales')).out, /^ +3 +0\.06 +1 +0\.02 +0\.04 +USDC/m);
  });

  const ask = (query: string, init: RequestInit = {}, token = TOKEN) =>
    fetch(`${open?.url}${SALES_PATH}${query}`, {...init, headers: {Authorization: `Bearer ${token}`}});

  async function withToken(token: string | undefined, ...args: string[]) {
    if (token === undefined) delete process.env['FROZEN_SALES_TOKEN'];
    else process.env['FROZEN_SALES_TOKEN'] = token;
    try {
      return await run(...args, '--worker', open?.url ?? '');
    } finally {
      delete process.env['FROZEN_SALES_TOKEN'];
    }
  }

  async function buy(): Promise<void> {
    const address = `${open?.url}/api/v1/softfail3`;
    const challenge = decoded(await fetch(address), 'PAYMENT-REQUIRED');
    const payment = encoded(await forge(challenge, privateKeyToAccount(generatePrivateKey())));
    const pay = () => fetch(address, {headers: {'PAYMENT-SIGNATURE': payment}});
    let answer = await pay();
    // The development server of wrangler repeats a GET if it restarts the Worker, so the gate can see a payment twice.
    while (answer.status === 409) {
      await answer.text();
      await delay(1_000);
      answer = await pay();
    }
    assert.equal(answer.status, 200);
    await answer.text();
  }
});

/** Returns the headers of a response that do not depend on its path and time. */
function headersOf(response: Response | undefined): [string, string][] {
  return [...(response?.headers ?? [])].filter(([name]) => name !== 'date');
}
