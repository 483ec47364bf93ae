import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {runScript} from '../scripts/script-run.ts';
import {pay, payers} from './authorizations.ts';
import {blocksOf, proxyOf, refusal, result, type Question} from './node-proxy.ts';
import {reconcile, reconciledSite, sell, type ReconciledSite} from './reconciled-site.ts';

/** More than 8 MB. */
const TRANSFERS = 25_000;

interface Filter {
  readonly address: readonly string[];
  readonly topics: readonly (readonly string[] | null)[];
  readonly toBlock: string;
}

describe('frozen sales reconcile, with a node that', () => {
  let sold: ReconciledSite;
  before(async () => {
    sold = await soldSite();
  });
  after(() => sold[Symbol.asyncDispose]());

  test('limits the number of blocks per search, and is busy now and then', async () => {
    await using proxy = await proxyOf(sold.chain.rpcUrl, (question, at) => {
      if (at % 5 === 1) return new Response('slow down', {status: at % 2 ? 429 : 503});
      if (at % 7 === 1) return refusal(question, -32005, 'rate limit exceeded');
      return blocksOf(question) > 30 ? refusal(question, -32600, 'eth_getLogs is limited to 30 blocks') : undefined;
    });
    const {code, comparison, findings} = await reconcile(sold.root, ['--rpc-url', proxy.url]);
    assert.deepEqual([code, findings, comparison.payments], [0, [], 4]);
  });

  test('has a block with more transfers of nothing than one answer for several blocks may have', async () => {
    const {number} = await sold.chain.client.getBlock();
    await using proxy = await proxyOf(sold.chain.rpcUrl, async question => {
      if (question.method !== 'eth_getLogs') return;
      const [{address, topics, toBlock}] = question.params as readonly [Filter];
      // Only the search for all transfers to the payees does not name the payers.
      if (topics[1] !== null || Number(toBlock) !== Number(number)) return;
      const body = JSON.stringify(question);
      const answer = await fetch(sold.chain.rpcUrl, {
        method: 'POST',
        headers: {'Content-Type': 'application/json'},
        body,
      });
      const {result: events} = (await answer.json()) as {result: object[]};
      const transfer = {
        address: address[0],
        topics: [topics[0]?.[0], word, topics[2]?.[0]],
        data: `0x${'0'.repeat(64)}`,
      };
      const more = Array.from({length: TRANSFERS}, (_, at) => {
        return {...transfer, blockNumber: toBlock, transactionHash: word, logIndex: `0x${at.toString(16)}`};
      });
      return result(question, [...events, ...more]);
    });
    const {code, comparison, findings} = await reconcile(sold.root, ['--rpc-url', proxy.url]);
    assert.deepEqual([code, findings, comparison.payments, comparison.transfers], [0, [], 4, TRANSFERS]);
  });

  test('reorganises its chain between two runs', async () => {
    await using site = await reconciledSite();
    const {client} = site.chain;
    const by = await payers(site.chain, 2);
    await client.mine({blocks: 100});
    const before = await client.snapshot();
    const [kept, gone] = await pay(site.chain, by);
    assert.ok(kept && gone);
    await site.write(ledger => sell(ledger, [kept]));
    assert.deepEqual((await site.reconcile()).findings, ['money without a sale (not final)']);
    await client.revert({id: before});
    await client.mine({blocks: 3});
    const {code, findings} = await site.reconcile();
    assert.deepEqual([code, findings], [0, ['sale without money (not final)']]);
    await site.finish();
    const later = await site.reconcile();
    assert.deepEqual([later.code, later.findings], [1, ['sale without money']]);
  });

  const garbage: readonly (readonly [
    string,
    (question: Question) => Response | undefined | Promise<Response>,
    RegExp,
  ])[] = [
    ['answers no JSON', () => new Response('<html>'), /^http:\/\/127\.0\.0\.1:\d+ does not answer eth_chainId: /],
    ['has another network', question => ifAsked(question, 'eth_chainId', '0x1'), /eip155:1 is a network of neither/],
    ['has no finality', question => ifAsked(question, 'eth_getBlockByNumber', null), /block finalized does not exist/],
    [
      'answers with other shapes',
      question => ifAsked(question, 'eth_getLogs', [{address: 7}]),
      /returned an answer to eth_getLogs that does not follow the protocol/,
    ],
    [
      'answers with other events than requested',
      question => ifAsked(question, 'eth_getLogs', [strangeEvent]),
      /returned events to eth_getLogs that were not requested/,
    ],
    [
      'answers without end',
      question => (question.method === 'eth_getLogs' ? new Response(endless()) : undefined),
      /eth_getLogs: .*larger than/,
    ],
    ['wants a key', () => new Response('who are you?', {status: 401}), /eth_chainId: .*status 401/],
  ];
  for (const [what, answer, says] of garbage)
    test(`${what}: one line says so`, async () => {
      await using proxy = await proxyOf(sold.chain.rpcUrl, answer);
      const rpcUrl = `${proxy.url}/v2/SECRET?key=SECRET`;
      const {code, out, err} = await runScript('sales', ['--reconcile', '--root', sold.root, '--rpc-url', rpcUrl]);
      assert.doesNotMatch(err, /SECRET/);
      assert.match(err, says);
      assert.deepEqual([code, out, err.trimEnd().split('\n').length], [1, '', 1]);
    });
});

const word = `0x${'ab'.repeat(32)}`;
const strangeEvent = {
  address: `0x${'ab'.repeat(20)}`,
  topics: [word],
  data: '0x',
  blockNumber: '0x1',
  transactionHash: word,
  logIndex: '0x0',
};

function ifAsked(question: Question, method: string, value: unknown): Response | undefined {
  return question.method === method ? result(question, value) : undefined;
}

function endless(): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024).fill(32);
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk);
    },
  });
}

/** Opens a site that sold four documents, with final transactions. */
async function soldSite(): Promise<ReconciledSite> {
  const site = await reconciledSite();
  const paid = await pay(site.chain, await payers(site.chain, 4));
  await site.write(ledger => sell(ledger, paid));
  await site.finish();
  return site;
}
