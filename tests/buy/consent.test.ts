import assert from 'node:assert/strict';
import {readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {InMemoryTransport} from '@modelcontextprotocol/sdk/inMemory.js';
import {ElicitRequestSchema} from '@modelcontextprotocol/sdk/types.js';
import fastGlob from 'fast-glob';
import ts from 'typescript';
import {Wallet, type Draft} from '../../buyer/buy/authorize.ts';
import type {Consent, Deal} from '../../buyer/buy/consent.ts';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop} from '../../buyer/mcp/shop.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {PROJECT} from '../project.ts';
import {runScript} from '../scripts/script-run.ts';
import {generatePrivateKey} from 'viem/accounts';
import {SIGN_IN_STATEMENT} from '../../shared/payment-protocol.ts';
import type {Offer} from '../../scripts/package/buy.ts';
import {altering, fetchAt, newAccount, newFolder, openForAll, type Stall} from './stall.ts';
import {baseUrl} from '../paywall/fixture-site.ts';
import {encoded} from '../paywall/forge.ts';
import {decoded} from '../paywall/hand-made.ts';

const BASE = {network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin'};
const TEST = 'eip155:84532';
const OTHER = `0x${'22'.repeat(20)}`;

/** Returns a buyer's `fetch` for a site that moves its price to other payment requirements. */
function selling(
  stall: Stall,
  {base = false, payTo}: {base?: boolean; payTo?: string},
  fetcher?: typeof fetch,
): typeof fetch {
  return altering((at, answer) => {
    if (at === '/api/v1/index.json') {
      const {accepts} = stall.site.catalogue.payment;
      const moved = accepts.map(one => ({
        ...one,
        ...(base && {network: BASE.network}),
        ...(payTo !== undefined && {pay_to: payTo}),
      }));
      return Response.json({...stall.site.catalogue, payment: {...stall.site.catalogue.payment, accepts: moved}});
    }
    if (answer.status !== 402) return answer;
    const challenge = decoded(answer, 'PAYMENT-REQUIRED') as unknown as {accepts: [Record<string, unknown>]};
    const [one] = challenge.accepts;
    if (base) Object.assign(one, {network: BASE.network, asset: BASE.asset, extra: {name: BASE.name, version: '2'}});
    if (payTo !== undefined) one['payTo'] = payTo;
    const headers = new Headers(answer.headers);
    headers.set('PAYMENT-REQUIRED', encoded(challenge));
    return new Response(null, {status: 402, headers});
  }, fetcher);
}

describe('a buyer signs only payments with exact consent:', () => {
  let stall: Stall;
  openForAll(opened => (stall = opened));
  const signed = async () => (await readdir(stall.folder)).includes('payments.json');

  test('real money needs its network by name, or an explicit yes', async () => {
    const moved = selling(stall, {base: true});
    for (const [options, agree, reported] of [
      [{}, undefined, /is a network with real money\. Nothing was paid/],
      [{}, () => undefined, /is a network with real money/],
      [{}, () => 1, /is a network with real money/],
      [{network: 'base-sepolia'}, () => true, /is not sold on Base Sepolia/],
    ] as const)
      await assert.rejects(stall.buyer({fetch: moved, ...options}).buy(stall.gate.url, 'softfail3', agree), reported);
    assert.equal(await signed(), false);
    // The gate itself accepts test money, so it refuses both.
    await assert.rejects(stall.buyer({fetch: moved, network: 'base'}).buy(stall.gate.url, 'softfail3'), /was refused/);
    const [payment] = await stall.payments();
    assert.equal(payment?.network, BASE.network);
    assert.throws(() => stall.buyer({network: 'bass'}), /bass is not a network/);
  });

  test('frozen buy needs --network for real money, a dry run says so, and --only limits site and payee', async () => {
    const moved = selling(stall, {base: true});
    await using site = await listen({
      fetch: async ({url, headers}) => {
        const plain = new Headers(headers);
        plain.set('Accept-Encoding', 'identity');
        const answer = await moved(stall.gate.url + new URL(url).pathname, {headers: plain});
        const sent = new Headers(answer.headers);
        sent.delete('Content-Length'); // of the earlier body
        return new Response(answer.body, {status: answer.status, headers: sent});
      },
    });
    const run = (url: string, ...args: readonly string[]) =>
      runScript('buy', [url, 'softfail3', '--folder', stall.folder, ...args], {
        FROZEN_BUYER_KEY: generatePrivateKey(),
        FROZEN_RPC_URL: '',
      });
    const dry = await run(site.url, '--dry-run');
    assert.deepEqual([dry.code, dry.err], [0, '']);
    assert.match(dry.out, /^real money +needs --network base$/m);
    for (const [args, reported] of [
      [[], /is a network with real money\. Nothing was paid/],
      [['--network', 'base', '--only', OTHER], /is not among the payees of --only\. Nothing was paid/],
    ] as const) {
      const {code, err} = await run(site.url, ...args);
      assert.equal(code, 1, err);
      assert.match(err, reported);
    }
    assert.equal((await run(site.url, '--network', 'bass')).code, 2);
    assert.equal(await signed(), false);
    // The gate itself accepts test money.
    const paid = await run(site.url, '--network', 'base', '--only', site.url);
    assert.match(paid.err, /was refused/);
    assert.equal(await signed(), true);
  });

  test('an explicit yes to an offer is enough for real money', async () => {
    const moved = selling(stall, {base: true});
    const yes = ({terms}: Offer) => terms.requirements.network === BASE.network;
    await assert.rejects(stall.buyer({fetch: moved}).buy(stall.gate.url, 'softfail3', yes), /was refused/);
    assert.equal(await signed(), true);
  });

  test('a site that changes network or payee is refused until that is accepted', async () => {
    await stall.buyer().buy(stall.gate.url, 'firstlastsame');
    for (const change of [{base: true}, {payTo: OTHER}]) {
      const moved = {fetch: selling(stall, change), ...(change.base && {network: 'base'})};
      const reported = /asks to be paid on .* but asked to be paid on Base Sepolia .* to 0x\w+ before/;
      await assert.rejects(
        stall.buyer(moved).buy(stall.gate.url, 'softfail3', () => true),
        reported,
      );
      assert.match((await stall.buyer(moved).look(stall.gate.url, 'softfail3')).rewriteFaults[0]?.rule ?? '', reported);
    }
    assert.equal((await stall.payments()).length, 1);
    const accepting = stall.buyer({fetch: selling(stall, {payTo: OTHER}), acceptRewritten: true});
    await assert.rejects(accepting.buy(stall.gate.url, 'softfail3'), /was refused/);
    assert.equal((await stall.payments()).length, 2);
  });

  test('after a change of the payee, what costs nothing is not refused', async () => {
    const [atGate, atMoved] = [fetchAt(stall), selling(stall, {payTo: OTHER}, fetchAt(stall))];
    await stall.buyer({fetch: atGate}).buy(baseUrl, 'firstlastsame');
    const elsewhere = await newFolder();
    await stall.buyer({fetch: atGate, folder: elsewhere}).buy(baseUrl, 'softfail3');
    await rm(elsewhere, {recursive: true});
    const moved = stall.buyer({fetch: atMoved});
    assert.deepEqual((await moved.look(baseUrl, 'firstlastsame')).rewriteFaults, []);
    assert.equal((await moved.buy(baseUrl, 'firstlastsame')).kind, 'owned');
    assert.equal((await moved.buy(baseUrl, 'softfail3')).kind, 'again');
    const {rewriteFaults} = await stall
      .buyer({fetch: selling(stall, {payTo: OTHER}, atGate)})
      .look(baseUrl, 'webhookbundle');
    assert.equal(rewriteFaults[0]?.code, 'FZ613', 'and the new payee is not remembered');
    assert.equal((await stall.payments()).length, 1);
  });

  test('proofs with other payment requirements than the earlier payment are not signed', async () => {
    const dropped: typeof fetch = input => fetch(input); // without the payment
    await assert.rejects(stall.buyer({fetch: dropped}).buy(stall.gate.url, 'softfail3'), /was refused/);
    const [payment] = await stall.payments();
    const over = {...payment, header: encoded('{}'), validBefore: 1};
    await writeFile(`${stall.folder}/payments.json`, JSON.stringify({payments: [over]}));
    for (const change of [{base: true}, {payTo: OTHER}])
      await assert.rejects(
        stall.buyer({fetch: selling(stall, change)}).buy(stall.gate.url, 'softfail3'),
        /asks to be paid on .* Nothing was paid now[^]* has an interrupted payment of \$0\.02, which may have been charged/,
      );
    assert.equal((await stall.payments()).length, 1);
  });

  test('payment requirements that change during the prompt, or between the dry run and the purchase, are not signed', async t => {
    const [honest, moved] = [fetch, selling(stall, {base: true, payTo: OTHER})];
    let asked = 0;
    let isMoved = false;
    t.mock.method(globalThis, 'fetch', (...request: Parameters<typeof fetch>) =>
      (isMoved ? moved : honest)(...request),
    );
    for (const [askAbove, payTo] of [
      [0, undefined],
      [1_000_000, undefined],
      [1_000_000, OTHER],
    ] as const) {
      isMoved = false;
      const shop = new Shop({
        ...{origin: stall.gate.url, account: stall.account, folder: stall.folder, askAbove},
        ...{stopping: new AbortController().signal, onError: assert.ifError},
      });
      const [here, there] = InMemoryTransport.createLinkedPair();
      const client = new Client({name: 'test', version: '1'}, {capabilities: {elicitation: {}}});
      client.setRequestHandler(ElicitRequestSchema, () => {
        asked++;
        isMoved = true;
        return {action: 'accept', content: {buy: true}};
      });
      await Promise.all([newServer(shop).connect(there), client.connect(here)]);
      const {structuredContent} = await client.callTool({name: 'show_offer', arguments: {name: 'softfail3'}});
      const {name, sha256, price, network, pay_to} = structuredContent as Record<string, string>;
      isMoved = askAbove > 0;
      const seen = {name, sha256, price, network, pay_to: payTo ?? pay_to};
      const result = await client.callTool({name: 'buy_document', arguments: seen});
      assert.match(JSON.stringify(result.content), /is not sold on Base Sepolia/);
      await client.close();
    }
    assert.deepEqual([asked, await signed()], [1, false]);
  });

  test('an agent cannot allow real money by naming its network', async t => {
    t.mock.method(globalThis, 'fetch', selling(stall, {base: true}));
    for (const [options, reported] of [
      [{}, /is a network with real money\. Nothing was paid/],
      [{network: BASE.network}, /was refused/], // by the gate, which accepts test money
    ] as const) {
      const shop = new Shop({
        ...{origin: stall.gate.url, account: stall.account, folder: stall.folder, askAbove: 1_000_000},
        ...{stopping: new AbortController().signal, onError: assert.ifError, ...options},
      });
      const [here, there] = InMemoryTransport.createLinkedPair();
      const client = new Client({name: 'test', version: '1'});
      await Promise.all([newServer(shop).connect(there), client.connect(here)]);
      const {structuredContent} = await client.callTool({name: 'show_offer', arguments: {name: 'softfail3'}});
      const {name, sha256, price, network, pay_to, refused} = structuredContent as Record<string, string | null>;
      assert.equal(refused === null, 'network' in options);
      const seen = {name, sha256, price, network, pay_to};
      const {content} = await client.callTool({name: 'buy_document', arguments: seen});
      assert.match(JSON.stringify(content), reported);
      assert.equal(await signed(), 'network' in options);
      await client.close();
    }
  });

  test('sites and payees can be limited to a list', async () => {
    const {url} = stall.gate;
    const {offer} = await stall.buyer().look(url, 'softfail3');
    const {payTo} = offer.terms.requirements;
    for (const [only, reported] of [
      [['https://snapshots.example'], /is not among the sites of --only/],
      [[url, OTHER], /is not among the payees of --only/],
    ] as const)
      await assert.rejects(stall.buyer({only}).buy(url, 'softfail3'), reported);
    assert.throws(() => stall.buyer({only: ['snapshots.example']}), /is neither the origin of a site, such as /);
    assert.equal(await signed(), false);
    assert.equal(
      (await stall.buyer({only: [`${url}/`, payTo.toUpperCase().replace('0X', '0x')]}).buy(url, 'softfail3')).kind,
      'bought',
    );
  });

  test('a wallet whose address has no checksum buys and signs in with it', async () => {
    const {account} = stall;
    const address = account.address.toLowerCase() as `0x${string}`;
    const buy = () => stall.buyer({account: {...account, address}, fetch: fetchAt(stall)}).buy(baseUrl, 'softfail3');
    assert.equal((await buy()).kind, 'bought');
    await rm(stall.folder, {recursive: true});
    assert.equal((await buy()).kind, 'again');
    for (const wrong of ['0x12', undefined] as const)
      assert.throws(
        () => stall.buyer({account: {...account, address: wrong as unknown as `0x${string}`}}),
        new TypeError(`${wrong} is not the address of an account`),
      );
  });

  test('authorize() refuses every term that differs from the consent', async () => {
    const account = newAccount();
    const wallet = new Wallet(account);
    const {offer} = await stall.buyer().look(stall.gate.url, 'softfail3');
    const now = Math.floor(Date.now() / 1000);
    const {payTo, asset, amount} = offer.terms.requirements;
    const {entry} = offer;
    const deal: Deal = {
      network: TEST,
      asset,
      payTo,
      amount,
      sha256: entry.paid.sha256,
      as_of: entry.as_of,
      seconds: 300,
    };
    const draft = (
      kind: 'payment' | 'proof',
      message: object = {},
      domain: object = {},
      primaryType = 'TransferWithAuthorization',
    ) =>
      ({
        kind,
        offer,
        data: {
          primaryType,
          domain: {name: 'USDC', version: '2', chainId: 84532, verifyingContract: asset, ...domain},
          types: {
            [primaryType]: [
              {name: 'from', type: 'address'},
              {name: 'to', type: 'address'},
              {name: 'value', type: 'uint256'},
              {name: 'validBefore', type: 'uint256'},
            ],
          },
          message: {
            from: account.address,
            to: payTo,
            value: BigInt(amount),
            validBefore: BigInt(now + 300),
            ...message,
          },
        },
      }) as unknown as Draft;
    const consent: Consent = {kind: 'terms', deal};
    const previous = {kind: 'former payment', payment: {network: TEST, asset, payTo, amount}} as unknown as Consent;
    assert.match(await wallet.authorize(draft('payment'), consent), /^0x/);
    const validAfter = BigInt(now + 300);
    assert.match(await wallet.authorize(draft('proof', {validAfter}), previous), /^0x/);
    for (const [refused, by, reported] of [
      [draft('payment', {to: OTHER}), consent, /another payTo/],
      [draft('payment', {value: BigInt(amount) + 1n}), consent, /another amount/],
      [draft('payment', {}, {chainId: 8453}), consent, /another network/],
      [draft('payment', {}, {verifyingContract: OTHER}), consent, /another asset/],
      [draft('payment', {validBefore: BigInt(now + 31_536_000)}), consent, /is valid for \d+ seconds, longer/],
      [draft('payment', {}, {}, 'Permit'), consent, /is not a transfer from this wallet/],
      [draft('payment', {from: OTHER}), consent, /is not a transfer from this wallet/],
      [draft('payment'), {kind: 'terms', deal: {...deal, sha256: '0'.repeat(64)}}, /another sha256/],
      [draft('payment'), {kind: 'terms', deal: {...deal, as_of: '2020'}}, /another as_of/],
      [draft('payment'), previous, /has no consent/],
      [draft('payment'), {kind: 'address', url: offer.url, network: TEST}, /has no consent/],
      [draft('proof', {to: OTHER, validAfter}), previous, /another payTo/],
      [draft('proof', {validAfter: validAfter - 1n}), previous, /could be charged/],
      [draft('proof', {validAfter: 0n}), consent, /could be charged/],
    ] as const)
      await assert.rejects(wallet.authorize(refused, by), reported);
  });

  test('authorize() signs in only at the address that was named, with the text of a sign-in', async () => {
    const wallet = new Wallet(newAccount());
    const {offer} = await stall.buyer().look(stall.gate.url, 'softfail3');
    const url = 'https://snapshots.example/api/v1/softfail3';
    const soon = new Date(Date.now() + 300_000).toISOString();
    const challenge = {
      ...{uri: url, domain: 'snapshots.example', chainId: TEST, statement: SIGN_IN_STATEMENT, version: '1'},
      ...{nonce: 'abcdefgh12345678', issuedAt: new Date().toISOString(), expirationTime: soon, type: 'eip191' as const},
    };
    const consent: Consent = {kind: 'address', url, network: TEST};
    assert.match(await wallet.authorize({kind: 'sign-in', offer, challenge}, consent), /^0x/);
    for (const [lie, reported] of [
      [{uri: 'https://other.example/api/v1/softfail3'}, /another address/],
      [{domain: 'other.example'}, /another address/],
      [{chainId: 'eip155:8453'}, /another network/],
      [{statement: 'Send all that I have.'}, /is not a sign-in/],
      [{expirationTime: '2099-01-01T00:00:00.000Z'}, /is valid for too long/],
      [{expirationTime: 'never'}, /is valid for too long/],
    ] as const) {
      const draft: Draft = {kind: 'sign-in', offer, challenge: {...challenge, ...lie}};
      await assert.rejects(wallet.authorize(draft, consent), reported);
    }
  });
});

test('only authorize() in buyer/ can use the signatures of an account', async () => {
  // The payee of a site proves that it owns the site. That account is not a buyer's wallet.
  const allowed = ['buyer/buy/authorize.ts', 'scripts/sign.ts'];
  const names = /^(signTypedData|signMessage)$/;
  const files = await fastGlob('{buyer,scripts}/**/*.ts', {cwd: PROJECT});
  const found = new Set<string>();
  for (const name of files) {
    const text = await readFile(join(PROJECT, name), 'utf8');
    if (!/signTypedData|signMessage/.test(text)) continue;
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const used = ts.isPropertyAccessExpression(node)
        ? node.name.text
        : ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
          ? node.argumentExpression.text
          : ts.isBindingElement(node)
            ? (node.propertyName ?? node.name).getText()
            : '';
      if (names.test(used)) found.add(name);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  assert.ok(files.includes('buyer/buy/authorize.ts'));
  assert.deepEqual([...found].sort(), allowed);
  // A private field, so the account cannot be reached through the object.
  const account = newAccount();
  const wallet = new Wallet(account);
  assert.deepEqual(Object.values(wallet), [account.address, true]);
});
