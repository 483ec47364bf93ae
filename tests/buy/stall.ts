import assert from 'node:assert/strict';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, beforeEach} from 'node:test';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {buyerWith, type Buyer} from '../../buyer/buy/buyer.ts';
import type {BuyerOptions} from '../../buyer/buy/settings.ts';
import type {Payment} from '../../buyer/buy/payments.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import {baseUrl, fixtureSite, type FixtureOptions, type FixtureSite} from '../paywall/fixture-site.ts';
import {lengthen} from '../paywall/shop.ts';
import {signedSite} from '../paywall/signed-site.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';

export type {Payment} from '../../buyer/buy/payments.ts';

export const path = '/api/v1/softfail3';

/** One process for all buyers of a test file, because starting it takes most of the time of a purchase. */
class SharedExaminer extends Examiner {
  override [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  end(): Promise<void> {
    return super[Symbol.asyncDispose]();
  }
}

const examiner = new SharedExaminer(new AbortController().signal);
after(() => examiner.end());

export function buyer(options: BuyerOptions): Buyer {
  return buyerWith(options, () => examiner);
}

/**
 * A real gate for a small site, a stand-in for its facilitator, and a buyer with a folder. `await using` stops
 * everything.
 */
export interface Stall extends AsyncDisposable {
  readonly site: FixtureSite;
  readonly facilitator: StandIn;
  readonly gate: Listening;
  account: PrivateKeyAccount;
  /** The folder of the buyer's documents. */
  folder: string;
  /** A buyer with this folder. */
  buyer(options?: Partial<BuyerOptions>): Buyer;
  /** The record of payments. */
  payments(): Promise<Payment[]>;
}

/**
 * @param length of the document, if it matters
 * @param signingKey of the site, for the gate
 */
export async function openStall({
  length,
  signingKey,
  ...options
}: FixtureOptions & {length?: number; signingKey?: SigningKey} = {}): Promise<Stall> {
  const site = await (signingKey ? signedSite(options, signingKey) : fixtureSite(options));
  if (length !== undefined) await lengthen(site.root, length);
  const facilitator = await startStandIn();
  const ledger = await openSqlite(':memory:');
  const gate = await startGate(site.root, facilitator.url, {ledger, signingKey});
  const stall: Stall = {
    ...{site, facilitator, gate},
    account: newAccount(),
    folder: await newFolder(),
    buyer: options => buyer({account: stall.account, folder: stall.folder, ...options}),
    async payments() {
      const text = await readFile(join(stall.folder, 'payments.json'), 'utf8');
      return (JSON.parse(text) as {payments: Payment[]}).payments;
    },
    async [Symbol.asyncDispose]() {
      await gate.stop();
      await facilitator.stop();
      await ledger.close();
      await site.remove();
      await rm(stall.folder, {recursive: true});
    },
  };
  return stall;
}

export function newAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** A new folder for documents. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'bought-'));
}

/** Returns a `fetch` with responses that an attacker on the way changes. */
export function altering(
  alter: (path: string, answer: Response) => Promise<Response> | Response,
  fetcher: typeof fetch = fetch,
): typeof fetch {
  return async (input, init) => {
    assert.ok(typeof input === 'string');
    return alter(new URL(input).pathname, await fetcher(input, init));
  };
}

/** Returns a `fetch` that maps the address of the site to the gate. */
export function fetchAt({gate}: Stall): typeof fetch {
  return (input, init) => {
    assert.ok(typeof input === 'string');
    return fetch(input.replace(baseUrl, gate.url), init);
  };
}

/** Opens one stall for all tests of a suite. Each test has an empty folder and a new buyer. */
export function openForAll(onOpen: (stall: Stall) => void): void {
  let stall: Stall;
  before(async () => {
    stall = await openStall();
    onOpen(stall);
  });
  beforeEach(async () => {
    await rm(stall.folder, {recursive: true});
    stall.folder = await newFolder();
    stall.account = newAccount();
  });
  after(() => stall[Symbol.asyncDispose]());
}
