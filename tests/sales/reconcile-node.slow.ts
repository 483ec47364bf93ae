import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {after, before, describe, test} from 'node:test';
import {FROZEN} from '../project.ts';
import {runProcess} from '../scripts/script-run.ts';
import {pay, payers} from './authorizations.ts';
import {blocksOf, proxyOf, refusal, result, type Question} from './node-proxy.ts';
import {reconcile, reconciledSite, sell, type ReconciledSite} from './reconciled-site.ts';

describe('books are compared through a node that', () => {
  let sold: ReconciledSite;
  before(async () => {
    sold = await soldSite();
  });
  after(() => sold[Symbol.asyncDispose]());

  test('lets nobody search many blocks, and is busy now and then', async () => {
    await using site = await soldSite();
    await using proxy = await proxyOf(site.chain.rpcUrl, (question, at) => {
      if (at % 5 === 1) return new Response('slow down', {status: at % 2 ? 429 : 503});
      if (at % 7 === 1) return refusal(question, -32005, 'rate limit exceeded');
      return blocksOf(question) > 30 ? refusal(question, -32600, 'eth_getLogs is limited to 30 blocks') : undefined;
    });
    const {code, comparison, findings} = await reconcile(site.root, ['--rpc-url', proxy.url]);
    assert.deepEqual([code, findings, comparison.payments], [0, [], 4]);
  });

  test('is slow, and the command killed, interrupted, and begun again: it goes on where it was', async () => {
    await using site = await soldSite();
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      let searched = 0;
      let kill = (): unknown => assert.fail();
      await using proxy = await proxyOf(site.chain.rpcUrl, question => {
        if (blocksOf(question) > 20) return refusal(question, -32005, 'query returned more than 10000 results');
        if (blocksOf(question) > 0 && ++searched === 5) kill();
        return undefined;
      });
      const args = ['sales', '--reconcile', '--root', site.root, '--rpc-url', proxy.url];
      const child = spawn(process.execPath, [FROZEN, ...args], {stdio: 'ignore', timeout: 60_000});
      kill = () => child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [null, signal]);
    }
    await using proxy = await proxyOf(site.chain.rpcUrl, () => undefined);
    const {code, comparison, findings} = await reconcile(site.root, ['--rpc-url', proxy.url]);
    assert.deepEqual([code, findings, comparison.sales, comparison.payments], [0, [], 4, 4]);
    assert.ok(firstSearched(proxy.asked) > 40);
    // All that is final is known now.
    proxy.asked.length = 0;
    await reconcile(site.root, ['--rpc-url', proxy.url]);
    assert.equal(firstSearched(proxy.asked), (comparison.blocks?.final ?? 0) + 1);
  });

  test('reorganises its chain between two runs: what was not final is looked at anew', async () => {
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

  test('has another chain of the same number: what was known is forgotten', async () => {
    await using site = await soldSite();
    await using other = await soldSite();
    assert.equal((await site.reconcile()).comparison.payments, 4);
    await site.write((_, run) => {
      run('DELETE FROM sales');
      return Promise.resolve();
    });
    const {comparison} = await reconcile(site.root, ['--rpc-url', other.chain.rpcUrl, '--from-block', '0']);
    assert.deepEqual([comparison.payments, comparison.findings.length], [4, 4]);
  });

  const garbage: readonly (readonly [
    string,
    (question: Question) => Response | undefined | Promise<Response>,
    RegExp,
  ])[] = [
    ['answers no JSON', () => new Response('<html>'), /^http:\/\/127\.0\.0\.1:\d+ eth_chainId /],
    ['has another network', question => ifAsked(question, 'eth_chainId', '0x1'), /eip155:1 is a network of neither/],
    ['has no finality', question => ifAsked(question, 'eth_getBlockByNumber', null), /block finalized does not exist/],
    [
      'answers with other shapes',
      question => ifAsked(question, 'eth_getLogs', [{address: 7}]),
      /eth_getLogs is answered with something else than/,
    ],
    [
      'answers with events that nobody asked for',
      question => ifAsked(question, 'eth_getLogs', [strangeEvent]),
      /eth_getLogs is answered with events that were not asked for/,
    ],
    [
      'answers without end',
      question => (question.method === 'eth_getLogs' ? new Response(endless()) : undefined),
      /eth_getLogs .*larger than/,
    ],
    ['wants a key', () => new Response('who are you?', {status: 401}), /eth_chainId .*status 401/],
  ];
  for (const [what, answer, says] of garbage)
    test(`${what}: one line says so`, async () => {
      await using proxy = await proxyOf(sold.chain.rpcUrl, answer);
      const rpcUrl = `${proxy.url}/v2/SECRET?key=SECRET`;
      const {code, out, err} = await runProcess('sales', ['--reconcile', '--root', sold.root, '--rpc-url', rpcUrl]);
      assert.doesNotMatch(err, /SECRET/);
      assert.match(err, says);
      assert.deepEqual([code, out, err.trimEnd().split('\n').length], [1, '', 1]);
    });

  test('is behind a former run: it says so', async () => {
    await using site = await soldSite();
    const before = await site.chain.client.snapshot();
    await site.finish();
    await site.reconcile();
    await site.chain.client.revert({id: before});
    const {code, err} = await runProcess('sales', ['--reconcile', '--root', site.root], {
      FROZEN_RPC_URL: site.chain.rpcUrl,
    });
    assert.match(err, /^block \d+ was final in a former run, and the node does not have it: it is behind\n$/);
    assert.equal(code, 1);
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

/** The first block that was searched. */
function firstSearched(asked: readonly Question[]): number {
  const [first] = asked.filter(question => blocksOf(question) > 0);
  const {fromBlock} = (first ?? assert.fail()).params[0] as {fromBlock: string};
  return Number(fromBlock);
}

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

/** A site that has sold four documents, all of them final. */
async function soldSite(): Promise<ReconciledSite> {
  const site = await reconciledSite();
  const paid = await pay(site.chain, await payers(site.chain, 4));
  await site.write(ledger => sell(ledger, paid));
  await site.finish();
  return site;
}
