import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {Hono} from 'hono';
import type {Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {joinChain, network, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, payTo} from './fixture-site.ts';
import {spawnGate, type GateProcess} from './gate-process.ts';
import {decoded} from './hand-made.ts';
import {transactionsBetween} from './transfers.ts';

export const path = '/api/v1/softfail3';

/** The operations of a facilitator. */
export type Step = 'verify' | 'settle';

/** Handles a request to the facilitator: `ask` forwards it to the real facilitator and resolves with the response. */
export type Between = (step: Step, ask: () => Promise<Response>) => Promise<Response>;

export interface ShopOptions {
  readonly facilitator: Listening;
  /** The node of the gates. Undefined for gates without a node. */
  readonly rpcUrl?: string | undefined;
  /** By default the file that a gate creates below its site. */
  readonly ledgerUrl?: string | undefined;
  /** The minimum length of the document, if it matters. */
  readonly length?: number;
}

/**
 * A site with gates as processes and a real facilitator. Tests can change the requests between them. `await using`
 * stops everything.
 */
export interface Shop extends AsyncDisposable {
  readonly root: string;
  readonly document: string;
  /** Handles the requests of the gates to the facilitator. */
  readonly facilitatorUrl: string;
  /** By default requests and responses are forwarded. */
  between: Between;
  /** Starts a gate with the shared ledger, on a free port or on that of a gate that has ended. */
  start(like?: GateProcess, more?: {args?: readonly string[]; env?: Record<string, string>}): Promise<GateProcess>;
  /** The sales in the ledger, oldest first. */
  sales(buyer?: PrivateKeyAccount): Promise<Sale[]>;
}

export async function openShop({facilitator, rpcUrl, ledgerUrl, length}: ShopOptions): Promise<Shop> {
  const site = await fixtureSite();
  const document = length === undefined ? site.files.get(path) : await lengthen(site.root, length);
  const gates: GateProcess[] = [];
  const front = await listen(
    new Hono()
      .get('*', c => fetch(facilitator.url + c.req.path))
      .post('*', async c => {
        const body = await c.req.text();
        const headers = {'Content-Type': 'application/json'};
        return shop.between(c.req.path.slice(1) as Step, () =>
          fetch(facilitator.url + c.req.path, {method: 'POST', body, headers}),
        );
      }),
  );
  const shop: Shop = {
    root: site.root,
    facilitatorUrl: front.url,
    document: document ?? assert.fail(),
    between: (_, ask) => ask(),
    async start(like, {args = [], env} = {}) {
      const gate = spawnGate(['--root', site.root, ...(rpcUrl ? ['--rpc-url', rpcUrl] : []), ...args], {
        FROZEN_FACILITATOR_URL: front.url,
        ...(ledgerUrl && {FROZEN_LEDGER_URL: ledgerUrl}),
        ...(like && {PORT: new URL(await like.url).port}),
        ...env,
      });
      gates.push(gate);
      await gate.url;
      return gate;
    },
    async sales(buyer) {
      const ledger = await openLedger(site.root, ledgerUrl);
      const sales = await ledger.list({limit: 10_000});
      await ledger.close();
      return buyer ? sales.filter(({payer}) => payer === buyer.address.toLowerCase()) : sales;
    },
    async [Symbol.asyncDispose]() {
      for (const gate of gates) await kill(gate);
      await front.stop();
      await site.remove();
    },
  };
  return shop;
}

/** Kills a gate, like a crash. */
export async function kill(gate: GateProcess): Promise<void> {
  gate.signal('SIGKILL');
  await gate.exitCode;
}

/**
 * Creates an account with this many dollars. Works for concurrent tests: with one funding account, two transactions
 * would get the same nonce.
 */
export async function newBuyer({rpcUrl}: LocalChain, dollars = '1', privateKey?: Hex): Promise<PrivateKeyAccount> {
  return fundedBuyer(await joinChain(rpcUrl), dollars, privateKey);
}

/** The result of a client. */
export interface Bought {
  readonly text: string;
  readonly transaction: string;
  /** The status of every response to a payment, or 0 without a response. */
  readonly statuses: readonly number[];
}

/** The longest time that a test waits for a response to try again. */
const RETRY_AT_MOST_MS = 500;
const PATIENCE_MS = 180_000;

/**
 * Buys with a stock client that tries again, with a new signature, until it has the document or the signal is aborted.
 */
export async function buy(
  url: string,
  buyer: PrivateKeyAccount,
  onBody?: () => unknown,
  signal: AbortSignal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Bought> {
  const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
  const statuses: number[] = [];
  for (;;) {
    try {
      const response = await payingFetch(url, {signal});
      if (response.status === 200) await onBody?.();
      const text = await response.text();
      statuses.push(response.status);
      if (response.status === 200)
        return {text, transaction: decoded(response, 'PAYMENT-RESPONSE').transaction, statuses};
      const retryAfter = Number(response.headers.get('Retry-After'));
      assert.ok(retryAfter > 0 || ![409, 503].includes(response.status), 'no Retry-After');
      await sleep(Math.min(retryAfter * 1000, RETRY_AT_MOST_MS));
    } catch (cause) {
      if (cause instanceof assert.AssertionError) throw cause;
      if (signal.aborted) throw new Error(`no document: ${statuses.slice(-20).join()}`, {cause});
      statuses.push(0);
      await sleep(100);
    }
  }
}

/** Returns the transactions of the transfers from a buyer to the payee. */
export function transfersOf(chain: LocalChain, {address}: PrivateKeyAccount): Promise<string[]> {
  return transactionsBetween(chain, address, payTo);
}

/**
 * Asserts that the buyer has the document, for one transfer, and that the ledger has recorded it.
 *
 * @param isNamed whether the facilitator or the chain named the transaction
 */
export async function assertSoldOnce(
  shop: Shop,
  chain: LocalChain,
  buyer: PrivateKeyAccount,
  {text, statuses}: Pick<Bought, 'text' | 'statuses'>,
  isNamed = true,
): Promise<void> {
  assert.ok(text === shop.document, 'another text than the document');
  const transfers = await transfersOf(chain, buyer);
  const delivered = await until(async () => {
    const sales = await shop.sales(buyer);
    return sales.some(({state}) => state === 'delivered') ? sales : undefined;
  });
  const of = (state: string) => delivered.filter(sale => sale.state === state);
  const reported = `${statuses.join()}; ${delivered.map(({state, reason}) => `${state} ${reason ?? ''}`).join()}`;
  assert.equal(transfers.length, 1, `transfers: ${reported}`);
  assert.equal(of('delivered').length, 1, reported);
  assert.equal(of('declined').length + of('unpaid').length, delivered.length - 1, reported);
  const [sale] = of('delivered');
  assert.ok(sale?.deliveredAt && sale.settledAt);
  if (isNamed || sale.transaction) assert.equal(sale.transaction, transfers[0], reported);
}

/** Calls a function until it returns a value. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, ms = 10_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`not within ${ms} ms`);
    await sleep(20);
  }
}

/** Makes the document longer than the buffers of the system, so that sending it takes time. Returns its text. */
export async function lengthen(root: string, length: number): Promise<string> {
  const text = JSON.stringify({name: 'softfail3', as_of: '2026-05-01T00:00:00.000Z', rows: ['x'.repeat(length)]});
  await writeFile(join(root, 'public', path), text);
  const file = join(root, 'public/api/v1/index.json');
  const catalogue = JSON.parse(await readFile(file, 'utf8')) as {products: {name: string; paid: object}[]};
  const paid = catalogue.products.find(({name}) => path.endsWith(name))?.paid;
  Object.assign(paid ?? {}, {bytes: text.length, sha256: createHash('sha256').update(text).digest('hex')});
  await writeFile(file, JSON.stringify(catalogue));
  return text;
}
