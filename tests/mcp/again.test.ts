import assert from 'node:assert/strict';
import {mkdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test, type TestContext} from 'node:test';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {InMemoryTransport} from '@modelcontextprotocol/sdk/inMemory.js';
import {MOST_CHARACTERS, pageOf} from '../../buyer/mcp/answer.ts';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop} from '../../buyer/mcp/shop.ts';
import {openStall, newFolder} from '../buy/stall.ts';
import {baseUrl} from '../paywall/fixture-site.ts';

test('an agent gets a document that its wallet bought elsewhere without paying or asking, also if its price is now above the limit', async t => {
  await using stall = await openStall();
  const {fetch} = globalThis;
  t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) =>
    fetch(input.replace(baseUrl, stall.gate.url), init),
  );
  const {offer} = await stall.buyer().look(baseUrl, 'webhookbundle');
  await stall.buyer().buy(baseUrl, 'webhookbundle');
  const paid = {network: 'base-sepolia', pay_to: offer.terms.requirements.payTo};
  const folder = await newFolder();
  // Other documents in the folder may be damaged.
  await mkdir(join(folder, `other.example/list/2026-01-01T000000.000Z-${'0'.repeat(8)}`), {recursive: true});
  const shop = new Shop({
    ...{origin: baseUrl, account: stall.account, folder, max: '$0.01', askAbove: 0},
    ...{stopping: new AbortController().signal, onError: assert.ifError},
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({name: 'test', version: '1'});
  await Promise.all([newServer(shop).connect(there), client.connect(here)]);
  const buy = async (name: string) =>
    client.callTool({
      name: 'buy_document',
      arguments: {name, sha256: offer.entry.paid.sha256, price: '$0.15', ...paid},
    });
  const {structuredContent, content} = await buy('webhookbundle');
  assert.equal((structuredContent as {kind?: string} | undefined)?.kind, 'again', JSON.stringify(content));
  assert.equal(stall.facilitator.submitted.length, 1);
  await client.close();
});

test('an agent verifies a document whose product was removed from its site', async t => {
  await using stall = await openStall();
  const {folder} = stall;
  await stall.buyer().buy(stall.gate.url, 'softfail3');
  const [owned] = await stall.buyer().owned();
  const {fetch} = globalThis;
  const {catalogue} = stall.site;
  const products = catalogue.products.filter(({name}) => name !== 'softfail3');
  t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) =>
    input.endsWith('/api/v1/index.json') ? Response.json({...catalogue, products}) : fetch(input, init),
  );
  await rm(join(stall.site.root, 'public/api/v1/schemas/softfail3.json'));
  const shop = new Shop({
    ...{origin: stall.gate.url, folder, askAbove: 0},
    ...{stopping: new AbortController().signal, onError: assert.ifError},
  });
  const {isForSale, checks} = await shop.verify(owned?.sha256 ?? '', new AbortController().signal);
  assert.deepEqual([isForSale, checks.some(({state}) => state === 'failed')], [false, false]);
});

/** A site that never answers. `asked` resolves at the first request. */
function silentSite(t: TestContext) {
  let fetching: {readonly mock: {callCount(): number}} | undefined;
  const asked = new Promise<void>(resolve => {
    fetching = t.mock.method(globalThis, 'fetch', (_: string, {signal}: {signal: AbortSignal}) => {
      resolve();
      return new Promise((_, reject) => {
        const end = () => {
          reject(signal.reason as Error);
        };
        if (signal.aborted) end();
        signal.onabort = end;
      });
    });
  });
  return {asked, requests: () => fetching?.mock.callCount()};
}

async function newShop(): Promise<Shop> {
  return new Shop({
    ...{origin: baseUrl, folder: await newFolder(), askAbove: 0},
    ...{stopping: new AbortController().signal, onError: assert.ifError},
  });
}

test('an agent learns before its client gives up that a site does not answer', async t => {
  const {asked} = silentSite(t);
  t.mock.timers.enable({apis: ['setTimeout']});
  const shop = await newShop();
  const {signal} = new AbortController();
  // The second one waits for the first, and both end in time.
  const reading = [shop.catalogue(signal), shop.look('softfail3', signal)].map(read =>
    assert.rejects(read, /index\.json gave no complete answer: there was no whole answer within 45 s/),
  );
  await asked;
  t.mock.timers.tick(45_000);
  await Promise.all(reading);
});

test('a call that is cancelled while it waits for another one requests nothing', async t => {
  const {asked, requests} = silentSite(t);
  const shop = await newShop();
  const [first, second] = [new AbortController(), new AbortController()];
  const reading = [first, second].map(({signal}) => assert.rejects(shop.catalogue(signal)));
  await asked;
  second.abort();
  first.abort();
  await Promise.all(reading);
  assert.equal(requests(), 1);
});

test('an agent reads a long text in parts that split no character', () => {
  const text = `x${'\u{1f600}'.repeat(MOST_CHARACTERS)}`;
  const parts: string[] = [];
  for (let at: number | null = 0; at !== null;) {
    const page = pageOf(text, at);
    parts.push(page.text);
    at = page.next_offset;
  }
  assert.equal(parts.join(''), text);
  assert.deepEqual(
    parts.filter(part => /\p{Cs}/u.test(part)),
    [],
  );
});
