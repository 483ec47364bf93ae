import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithSIWx} from '@x402/extensions/sign-in-with-x';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import type {PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {network, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {baseUrl, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {lengthen, path, until} from './shop.ts';
import {signedIn} from './sign-in.ts';
import {transfersBetween} from './transfers.ts';
import {startWorkerGate} from './worker-gate.ts';

/** Hosts for a gate. Each gate uses the ledger of the one before. */
type Start = (site: FixtureSite) => Promise<{url: string; stop(): Promise<void>}>;

describe('a stock client that signs in, on a real chain', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let folder: string;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
    await rm(folder, {recursive: true});
  });

  const hosts: Record<string, Start> = {
    async Node(site) {
      const ledger = await openSqlite(join(folder, 'sales.db'));
      const gate = await startGate(site.root, facilitator.url, {ledger});
      return {url: gate.url, stop: () => gate.stop().then(() => ledger.close())};
    },
    workerd: site => startWorkerGate(site, facilitator.url, undefined, {persist: join(folder, 'worker')}),
  };
  for (const [host, start] of Object.entries(hosts))
    test(`pays once for a document on ${host}, and can download it again when a newer one is for sale`, async () => {
      const site = await fixtureSite();
      const buyer = await fundedBuyer(chain, '1');
      const paid = () => transfersBetween(chain, buyer.address, payTo);
      const sold = site.files.get(path) ?? assert.fail();
      const sha256 = site.catalogue.products[0]?.paid.sha256 ?? assert.fail();
      const first = await start(site);
      for (let time = 0; time < 3; time++) assert.equal(await (await clientAt(first.url, buyer)()).text(), sold);
      assert.equal(await paid(), 1);
      await first.stop();

      const fresh = await lengthen(site.root, 2_000_000);
      const second = await start(site);
      const old = await fetch(second.url + path, {
        headers: {'SIGN-IN-WITH-X': await signedIn(second.url + path, buyer), 'Snapshot-SHA256': sha256},
      });
      assert.equal(await old.text(), sold);
      assert.equal(await paid(), 1);
      const later = await fundedBuyer(chain, '1');
      for (let time = 0; time < 2; time++) assert.equal(await (await clientAt(second.url, later)()).text(), fresh);
      assert.equal(await transfersBetween(chain, later.address, payTo), 1);
      await second.stop();
      await site.remove();
    });
});

/** Returns a fetch for the address of the site with a stock client that signs in if it can, and otherwise pays. */
function clientAt(url: string, buyer: PrivateKeyAccount): () => Promise<Response> {
  // The response must not have the address of the gate, because the client compares it with that of the site.
  const here: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request.url.replace(baseUrl, url), {headers: request.headers});
    return new Response(answer.body, answer);
  };
  const schemes = [{network, client: new ExactEvmScheme(buyer)}];
  const pay = wrapFetchWithPaymentFromConfig(wrapFetchWithSIWx(here, buyer), {schemes});
  return () => until(async () => asDocument(await pay(baseUrl + path)));
}

function asDocument(response: Response): Response | undefined {
  return response.status === 200 ? response : undefined;
}
