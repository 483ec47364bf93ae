import assert from 'node:assert/strict';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, type PrivateKeyAccount} from 'viem/accounts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {newFolder} from '../buy/stall.ts';
import {newBuyer, openShop, transfersOf, type Shop} from '../paywall/shop.ts';
import {sharedChain} from '../shared-chain.ts';
import {httpAgent, httpServer, stdioAgent, type Agent, type Person} from './agent.ts';

describe('an agent over MCP, with a real gate and chain,', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let shop: Shop;
  let url: string;
  let folder: string;
  let key: `0x${string}`;
  let account: PrivateKeyAccount;
  const args = (...more: readonly string[]) => [url, '--folder', folder, ...more];
  const start = (more: readonly string[] = [], person?: Person) =>
    stdioAgent(args(...more), {FROZEN_BUYER_KEY: key}, person);
  const offerOf = async (agent: Agent, name: string) => {
    const {name: product, sha256, price, network, pay_to} = (await agent.call('show_offer', {name})).facts;
    return {name: product, sha256, price, network, pay_to};
  };
  const transfers = async () => (await transfersOf(chain, account)).length;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, length: 1_100_000});
    url = await (await shop.start()).url;
  });
  beforeEach(async () => {
    folder = await newFolder();
    key = generatePrivateKey();
    account = await newBuyer(chain, '1', key);
  });
  afterEach(async () => {
    shop.between = (_, ask) => ask();
    await rm(folder, {recursive: true});
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await facilitator.stop();
    await chain.stop();
  });

  test('lists, buys once, reads and verifies', async () => {
    await using agent = await start(['--budget', '0.05']);
    const seen = await offerOf(agent, 'softfail3');
    const [first, second] = await Promise.all([agent.call('buy_document', seen), agent.call('buy_document', seen)]);
    assert.deepEqual([first.facts['kind'], second.facts['kind']], ['bought', 'owned']);
    assert.deepEqual([first.facts.budget?.left, first.facts.budget?.left_usd], ['$0.03', 0.03]);
    assert.deepEqual([first.facts['transaction']], await transfersOf(chain, account));
    const small = await agent.call('buy_document', await offerOf(agent, 'firstlastsame'));
    const uris = [first.facts['uri'], small.facts['uri']].map(String).sort();
    const {facts} = await agent.call('list_owned');
    const owned = facts['documents'] as {uri: string}[];
    assert.deepEqual(owned.map(({uri}) => uri).sort(), uris);
    const {resources} = await agent.client.listResources();
    assert.deepEqual(resources.map(({uri}) => uri).sort(), uris);
    const {contents} = await agent.client.readResource({uri: String(small.facts['uri'])});
    const text = await readFile(join(String(small.facts['folder']), 'document.json'), 'utf8');
    assert.deepEqual(
      contents.map(content => 'text' in content && content.text),
      [text],
    );
    await assert.rejects(agent.client.readResource({uri: String(first.facts['uri'])}), /is too large: read_document/);
    const {facts: read} = await agent.call('read_document', {sha256: seen.sha256, offset: 1_000_000});
    assert.deepEqual([read['text'], read['next_offset']], [shop.document.slice(1_000_000, 1_040_000), 1_040_000]);
    const {facts: verified} = await agent.call('verify_document', {sha256: seen.sha256});
    assert.deepEqual([verified['ok'], verified['for_sale']], [true, true], JSON.stringify(verified));
    await assert.rejects(
      agent.client.readResource({uri: `frozen://documents/${'a'.repeat(64)}`}),
      /contains no document/,
    );
    const file = join(String(first.facts['folder']), 'document.json');
    await writeFile(file, '{}');
    assert.match(
      (await agent.call('verify_document', {sha256: seen.sha256})).text,
      /is not the document that was bought/,
    );
    assert.deepEqual(agent.errors, []);
  });

  test('pays nothing if the price or document differs from what it has seen, or the budget is too small', async () => {
    await using agent = await start(['--budget', '0.01']);
    const seen = await offerOf(agent, 'softfail3');
    for (const [input, reported] of [
      [{...seen, price: '$0.01'}, /price "\$0\.01" is \$0\.02 now\. Nothing was paid/],
      [{...seen, network: 'Base'}, /is not sold on Base\. Nothing was paid[^]*accepts payments on Base Sepolia/],
      [{...seen, network: 'Bass'}, /Invalid arguments/],
      [{...seen, pay_to: `0x${'11'.repeat(20)}`}, /pay_to "0x1+" is 0x\w+ now\. Nothing was paid/],
      [{...seen, price: '0.02'}, /Invalid arguments[^]*is not a price such as \$0\.02/],
      [{...seen, sha256: 'a'.repeat(64)}, /sha256 "a+" is [0-9a-f]{64} now\. Nothing was paid/],
      [seen, /exceeds the rest of \$0\.01/],
    ] as const) {
      const {isError, text} = await agent.call('buy_document', input);
      assert.deepEqual([isError, reported.test(text)], [true, true], text);
      if (!String(reported).includes('Invalid')) assert.match(text, /^\$0\.01 is left of \$0\.01, the budget of a day/);
    }
    assert.equal(await transfers(), 0);
  });

  test('asks the user above a limit, and shows only facts', async () => {
    const questions: string[] = [];
    const words: ReturnType<Person>[] = ['no', 'cancel', 'yes'];
    await using agent = await start([], question => {
      questions.push(question);
      return words.shift() ?? 'no';
    });
    const seen = await offerOf(agent, 'webhookbundle');
    for (const kind of [undefined, undefined, 'bought'])
      assert.equal((await agent.call('buy_document', seen)).facts['kind'], kind);
    assert.match(
      questions[2] ?? '',
      /^Buy webhookbundle of http:\S+, as of \S+, for \$0\.15 on Base Sepolia \(test money\), to 0x/,
    );
    assert.deepEqual([questions.length, await transfers()], [3, 1]);
  });

  test('that cancels a purchase, or ends the server during it, owns the document for one transfer', async () => {
    for (const end of ['cancel', 'SIGTERM'] as const) {
      const agent = await start();
      // Its client cannot ask the user.
      const {text} = await agent.call('buy_document', await offerOf(agent, 'webhookbundle'));
      assert.match(text, /is above \$0\.10, and this client cannot ask the user/);
      const name = end === 'cancel' ? 'softfail3' : 'firstlastsame';
      const seen = await offerOf(agent, name);
      const cancelled = new AbortController();
      const gone = new Promise<void>(resolve => (agent.client.onclose = resolve));
      shop.between = (step, ask) => {
        if (step === 'settle') {
          if (end === 'cancel') cancelled.abort();
          else if (agent.pid !== null) process.kill(agent.pid, end);
        }
        return ask();
      };
      const answer = agent.call('buy_document', seen, cancelled.signal);
      if (end === 'SIGTERM') {
        assert.equal((await answer).facts['kind'], 'bought');
        await gone;
      } else {
        await assert.rejects(answer);
        assert.equal((await agent.call('buy_document', seen)).facts['kind'], 'owned');
      }
      await agent[Symbol.asyncDispose]();
    }
    const {payments} = JSON.parse(await readFile(join(folder, 'payments.json'), 'utf8')) as {
      payments: {state: string}[];
    };
    assert.deepEqual(
      payments.map(({state}) => state),
      ['closed', 'closed'],
    );
    assert.equal(await transfers(), 2);
  });

  test('shares one budget with all other agents over HTTP', async () => {
    const token = 'a'.repeat(64);
    const file = join(folder, 'token');
    await writeFile(file, token, {mode: 0o600});
    await using server = await httpServer(args('--budget', '0.03', '--ask-above', '0', '--token-file', file), {
      FROZEN_BUYER_KEY: key,
    });
    await assert.rejects(httpAgent(server.address, 'b'.repeat(64)), /401|Unauthorized/);
    await using one = await httpAgent(server.address, token, () => 'yes');
    await using other = await httpAgent(server.address, token, () => 'yes');
    const offers = await Promise.all([offerOf(one, 'softfail3'), offerOf(other, 'firstlastsame')]);
    const reported = await Promise.all([one.call('buy_document', offers[0]), other.call('buy_document', offers[1])]);
    assert.equal(reported.filter(({isError}) => isError).length, 1);
    assert.equal((await one.call('list_owned')).facts.budget?.left, '$0.01');
    assert.equal(await transfers(), 1);
  });
});
