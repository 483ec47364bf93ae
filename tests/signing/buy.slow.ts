import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {InMemoryTransport} from '@modelcontextprotocol/sdk/inMemory.js';
import {buyer} from '../../buyer/buy/buyer.ts';
import type {BuyerOptions} from '../../buyer/buy/settings.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop as Tools} from '../../buyer/mcp/shop.ts';
import {signDetached} from '../../shared/detached-signature.ts';
import {signNext, type LinkedKey} from '../../shared/next-key.ts';
import {CATALOGUE_FILE, KEYS, paths, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {newAccount} from '../buy/stall.ts';
import {baseUrl, fixtureSite} from '../paywall/fixture-site.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {publicOf} from './signed-site.ts';

/**
 * A gate for a site with a catalogue that names a key and is signed by it. Its JWK set also contains the `former` keys.
 */
interface Shop extends AsyncDisposable {
  readonly gate: Listening;
}

describe('a buyer of a signed site', () => {
  let facilitator: StandIn;
  let [first, second, otherKey]: SigningKey[] = [];
  let [original, rotated, taken, unsigned]: (Shop | undefined)[] = [];
  let folder: string;

  before(async () => {
    facilitator = await startStandIn();
    const [one, two, three] = await Promise.all([newSigningKey(), newSigningKey(), newSigningKey()]);
    [first, second, otherKey] = [one, two, three];
    original = await shopOf(one);
    rotated = await shopOf(two, {...publicOf(one), signed_next: await signNext(one, two)});
    taken = await shopOf(three, {...publicOf(one), signed_next: await signNext(three, three)});
    unsigned = await shopOf(undefined);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bought-'));
  });
  afterEach(() => rm(folder, {recursive: true, force: true}));
  after(async () => {
    for (const shop of [original, rotated, taken, unsigned]) await shop?.[Symbol.asyncDispose]();
    await facilitator.stop();
  });

  async function shopOf(key: SigningKey | undefined, ...former: LinkedKey[]): Promise<Shop> {
    const jwk = (one: LinkedKey) => ({kty: 'OKP', crv: 'Ed25519', ...one});
    const jwks = JSON.stringify({keys: key ? [publicOf(key), ...former].map(jwk) : []});
    const digest = createHash('sha256').update(jwks).digest('hex');
    const site = await fixtureSite({
      alter({rules, catalogue}) {
        catalogue.files.push({...KEYS.jwks, sha256: digest, bytes: jwks.length});
        if (key) for (const one of [rules, catalogue]) Object.assign(one, {signing: publicOf(key)});
      },
    });
    await mkdir(dirname(join(site.root, 'public', KEYS.jwks.path)), {recursive: true});
    await writeFile(join(site.root, 'public', KEYS.jwks.path), jwks);
    const catalogue = await readFile(join(site.root, CATALOGUE_FILE));
    if (key) await writeFile(join(site.root, SIGNATURE_FILE), await signDetached(catalogue, key));
    const gate = await startGate(site.root, facilitator.url);
    return {
      gate,
      async [Symbol.asyncDispose]() {
        await gate.stop();
        await site.remove();
      },
    };
  }

  /** All shops have the same address, one after the other. */
  const at = (
    shop: Shop | undefined,
    options: Partial<BuyerOptions> = {},
    change = (_: string, text: string): string | undefined => text,
  ) =>
    buyer({
      ...{folder, account: newAccount()},
      async fetch(input, init) {
        assert.ok(typeof input === 'string' && shop);
        const answer = await fetch(input.replace(baseUrl, shop.gate.url), init);
        const path = input.replace(baseUrl, '');
        if (path !== paths.catalogue && path !== paths.signature) return answer;
        const changed = change(path, await answer.text());
        return changed === undefined ? new Response('', {status: 404}) : new Response(changed, answer);
      },
      ...options,
    });
  const known = async () => {
    const [file = ''] = await readdir(join(folder, 'seen'));
    const {signing} = JSON.parse(await readFile(join(folder, 'seen', file), 'utf8')) as {signing?: PublicKey};
    return signing?.kid;
  };

  test('remembers its key, accepts its next key, and pays nothing to an attacker or a site without a key', async () => {
    assert.equal((await at(original).buy(baseUrl, 'softfail3')).kind, 'bought');
    assert.equal(await known(), first?.kid);
    const settled = facilitator.submitted.length;
    await assert.rejects(
      at(taken).buy(baseUrl, 'webhookbundle'),
      /is signed by the key \S+, but \S+seen\S+\.json remembers \S+, which has not signed it as the next key. Nothing was paid/,
    );
    await assert.rejects(
      at(unsigned).buy(baseUrl, 'webhookbundle'),
      /names no key, but \S+ remembers \S+\. Nothing was paid/,
    );
    await assert.rejects(at(taken).look(baseUrl, 'softfail3'), /has not signed it as the next key/);
    await assert.rejects(at(unsigned).catalogue(baseUrl), /names no key/);
    assert.equal(facilitator.submitted.length, settled);
    assert.equal(await known(), first?.kid);
    assert.equal((await at(rotated).buy(baseUrl, 'webhookbundle')).kind, 'bought');
    assert.equal(await known(), second?.kid);
    await assert.rejects(
      at(original).look(baseUrl, 'softfail3'),
      /has not signed it as the next key/,
      'a previous key is no longer valid',
    );
  });

  test('every tool of an agent refuses a site that removed its key', async t => {
    await at(original).buy(baseUrl, 'softfail3');
    const {fetch} = globalThis;
    t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) =>
      fetch(input.replace(baseUrl, unsigned?.gate.url ?? ''), init),
    );
    const shop = new Tools({
      ...{origin: baseUrl, account: newAccount(), folder, askAbove: 0},
      ...{stopping: new AbortController().signal, onError: assert.ifError},
    });
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({name: 'test', version: '1'});
    await Promise.all([newServer(shop).connect(there), client.connect(here)]);
    const [{sha256} = {sha256: ''}] = await shop.owned();
    const terms = {sha256, price: '$0.02', network: 'base-sepolia', pay_to: '0x'};
    for (const [name, input] of Object.entries({
      list_products: {},
      read_free: {name: 'softfail3', part: 'sample'},
      show_offer: {name: 'softfail3'},
      buy_document: {name: 'softfail3', ...terms},
      verify_document: {sha256},
    })) {
      const {isError, content} = await client.callTool({name, arguments: input});
      assert.deepEqual([isError, /names no key/.test(JSON.stringify(content))], [true, true], JSON.stringify(content));
    }
    await client.close();
  });

  test('accepts another key if it is named, and then remembers it', async () => {
    await at(original).buy(baseUrl, 'softfail3');
    await assert.rejects(
      at(original, {siteKey: otherKey?.kid}).look(baseUrl, 'softfail3'),
      /but --site-key is \S+, which has not signed/,
    );
    await at(taken, {siteKey: otherKey?.x}).buy(baseUrl, 'webhookbundle');
    assert.equal(await known(), otherKey?.kid);
  });

  test('refuses a catalogue without its signature, one that differs from the signed one, or one with a duplicate member', async () => {
    const look = (change: (path: string, text: string) => string | undefined) =>
      at(original, {}, change).look(baseUrl, 'softfail3');
    for (const [change, says] of [
      [
        (path: string, text: string) => (path === paths.catalogue ? text.replace('$0.02', '$0.01') : text),
        /over these bytes/,
      ],
      [(path: string, text: string) => (path === paths.signature ? '' : text), /index\.json\.jws is not a compact JWS/],
      [
        (path: string, text: string) => (path === paths.signature ? undefined : text),
        /index\.json\.jws is missing, and the catalogue names a signing key/,
      ],
      [
        (path: string, text: string) => (path === paths.catalogue ? text.replace('{', '{"title": "Twice",') : text),
        /index\.json title/,
      ],
    ] as const)
      await assert.rejects(look(change), says);
    await look((_, text) => text);
  });
});
