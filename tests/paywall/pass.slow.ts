import assert from 'node:assert/strict';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
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
import {RULES_FILE} from '../../shared/paths.ts';
import {sharedChain} from '../shared-chain.ts';
import {builtSite, type BuiltSite} from './built-site.ts';
import type {FixtureRules} from './fixture-site.ts';
import {decoded} from './hand-made.ts';
import {until} from './shop.ts';
import {transfersBetween} from './transfers.ts';
import {startWorkerGate} from './worker-gate.ts';

const path = '/api/v1/thispluscoming';
const PASS = {
  title: 'This plus coming',
  kind: 'bundle',
  price: '$0.03',
  bundle: ['softfail3'],
  next: 1,
  difference: 'sells this snapshot and the next one',
};

describe('a pass, on a real chain', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let folder: string;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    folder = await mkdtemp(join(tmpdir(), 'pass-'));
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
    await rm(folder, {recursive: true});
  });

  /** Hosts for a gate. Each gate uses the ledger of the one before. */
  const hosts: Record<string, (site: BuiltSite) => Promise<{url: string; stop(): Promise<void>}>> = {
    async Node(site) {
      const ledger = await openSqlite(join(folder, 'sales.db'));
      const gate = await startGate(site.root, facilitator.url, {ledger});
      return {url: gate.url, stop: () => gate.stop().then(() => ledger.close())};
    },
    async workerd({root}) {
      const rules = JSON.parse(await readFile(join(root, RULES_FILE), 'utf8')) as FixtureRules;
      return startWorkerGate({root, rules}, facilitator.url, undefined, {persist: join(folder, 'worker')});
    },
  };
  for (const [host, start] of Object.entries(hosts))
    test(`is paid once on ${host}, by clients that sign in and by clients that cannot, and ends as stated`, async () => {
      const site = await passSite(facilitator.url);
      const {catalogue} = await site.build();
      const payTo = catalogue.payment.accepts[0]?.pay_to ?? assert.fail();
      const {base_url: baseUrl} = catalogue;
      const [first, second] = [await fundedBuyer(chain, '1'), await fundedBuyer(chain, '1')];
      const paid = (buyer: PrivateKeyAccount) => transfersBetween(chain, buyer.address, payTo as `0x${string}`);
      const sold = async (
        use: (get: (client: Client, buyer: PrivateKeyAccount) => Promise<string>) => Promise<void>,
      ) => {
        const gate = await start(site);
        await use(async (client, buyer) => {
          const response = await until(async () =>
            asDocument(await client(at(baseUrl, gate.url), buyer)(baseUrl + path)),
          );
          return response.text();
        });
        await gate.stop();
      };

      await sold(async get => {
        const document = await get(paying, first);
        assert.equal(await get(paying, first), document);
        assert.equal(await get(signingIn, first), document);
        assert.equal(await paid(first), 1);
      });
      await freeze(site, '06');
      const asked = decoded(await unpaid(await start(site)), 'PAYMENT-REQUIRED');
      assert.match(JSON.stringify(asked), /"later_snapshots":1/);
      await sold(async get => {
        assert.match(await get(paying, first), /"as_of": "2026-06-01/);
        assert.match(await get(signingIn, first), /"as_of": "2026-06-01/);
        assert.equal(await paid(first), 1);
        await get(signingIn, second);
        assert.equal(await paid(second), 1);
      });
      await freeze(site, '07');
      await sold(async get => {
        assert.match(await get(signingIn, second), /"as_of": "2026-07-01/);
        assert.equal(await paid(second), 1);
        assert.match(await get(signingIn, first), /"as_of": "2026-07-01/);
        // On Cloudflare a document can be collected for five minutes after it was sent.
        assert.equal(await paid(first), host === 'Node' ? 2 : 1);
      });
      await site.remove();
    });
});

async function unpaid(gate: {url: string; stop(): Promise<void>}): Promise<Response> {
  const answer = await fetch(gate.url + path);
  await gate.stop();
  return answer;
}

async function passSite(facilitatorUrl: string): Promise<BuiltSite> {
  const site = await builtSite(facilitatorUrl);
  await site.edit('site.json', value => (value['hosts'] = ['cloudflare']));
  await writeFile(join(site.root, 'data/products/pass.json'), JSON.stringify(PASS));
  return site;
}

/** Freezes the list once more, on the first of a month. */
async function freeze(site: BuiltSite, month: string): Promise<void> {
  const from = join(site.root, 'data/sources/deny-list');
  await cp(join(from, '2026-05-01'), join(from, `2026-${month}-01`), {recursive: true});
  await site.edit(`sources/deny-list/2026-${month}-01/datapackage.json`, descriptor => {
    descriptor['as_of'] = `2026-${month}-01T12:00:00.000Z`;
  });
  await site.build();
}

/** Makes the requests of a buyer. */
type Client = (here: typeof fetch, buyer: PrivateKeyAccount) => typeof fetch;

const paying: Client = (here, buyer) =>
  wrapFetchWithPaymentFromConfig(here, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
const signingIn: Client = (here, buyer) => paying(wrapFetchWithSIWx(here, buyer), buyer);

/** Returns a fetch that maps the address of the site to the gate, for a stock client. */
function at(baseUrl: string, url: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request.url.replace(baseUrl, url), {headers: request.headers});
    return new Response(answer.body, answer);
  };
}

function asDocument(response: Response): Response | undefined {
  return response.status === 200 ? response : undefined;
}
