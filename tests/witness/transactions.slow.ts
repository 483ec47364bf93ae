import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {Hash, Hex} from 'viem';
import {startChain, type LocalChain, usdc, receiptOf} from '../../scripts/local-chain/chain.ts';
import {examineTransaction} from '../../buyer/verify/examine-transaction.ts';
import {sha256} from '../../shared/digest.ts';

const DIGEST = sha256('a descriptor');
const freeze = {as_of: '2026-05-01T12:00:00.000Z', descriptor: DIGEST};

describe('a transaction with the digest of a freeze', () => {
  let chain: LocalChain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  async function sent(data: Hex, to = chain.client.account.address): Promise<{transaction: Hash; block: number}> {
    const transaction = await chain.client.sendTransaction({to, data, gas: 100_000n});
    const {blockNumber} = await receiptOf(chain.client, transaction);
    return {transaction, block: Number(blockNumber)};
  }

  async function look(
    proof: object,
    options: {rpcUrl?: string | undefined; confirmations?: number; as_of?: string} = {},
  ) {
    const {confirmations = 1, as_of = freeze.as_of} = options;
    const rpcUrl = 'rpcUrl' in options ? options.rpcUrl : chain.rpcUrl;
    const bytes = Buffer.from(JSON.stringify({network: 'eip155:84532', digest: DIGEST, ...proof}));
    const {checks, ...found} = await examineTransaction('a.json', bytes, {...freeze, as_of}, {rpcUrl, confirmations});
    return {...found, state: checks[0]?.state, words: checks[0]?.detail ?? ''};
  }

  test('proves the time of its block', async () => {
    const proof = await sent(`0x${DIGEST}`);
    const {timestamp} = await chain.client.getBlock({blockNumber: BigInt(proof.block)});
    const {result, state} = await look(proof);
    assert.deepEqual([state, result?.witness], ['passed', 'eip155:84532']);
    assert.equal(result?.latest, new Date(Number(timestamp) * 1000).toISOString());
  });

  test('proves nothing without a node, on another network, or without enough confirmations', async () => {
    const proof = await sent(`0x${DIGEST}`);
    const cases = [
      [await look(proof, {rpcUrl: undefined}), /--rpc-url checks it with a node/],
      [await look({...proof, network: 'eip155:8453'}), /the node belongs to eip155:84532/],
      [await look(proof, {confirmations: 3}), /it has 1 confirmation so far, and needs 3/],
      [await look(proof, {rpcUrl: 'http://127.0.0.1:9'}), /the node gave no usable answer/],
    ] as const;
    for (const [{result, state, unproved, words}, says] of cases) {
      assert.deepEqual([result, state], [undefined, 'unchecked']);
      assert.match(words, says);
      assert.match(unproved ?? '', says);
    }
    await chain.client.mine({blocks: 2});
    assert.equal((await look(proof, {confirmations: 3})).state, 'passed');
  });

  test('is refused if its contents are wrong', async () => {
    const [good, other, reverted] = [await sent(`0x${DIGEST}`), await sent('0xab'), await sent(`0x${DIGEST}`, usdc)];
    const cases = [
      [await look({...good, digest: sha256('another')}), /is for the digest [0-9a-f]{64}, not for that of the freeze/],
      [await look(other), /whose data is not the digest/],
      [await look(reverted), /which was reverted/],
      [await look({...good, block: good.block + 1}), /names block \d+, and transaction 0x\w+ is in block \d+/],
      [await look({...good, transaction: `0x${'00'.repeat(32)}`}), /which is not on the chain/],
      [await look(good, {as_of: '2199-05-01T12:00:00.000Z'}), /is of \S+, older than its freeze/],
    ] as const;
    for (const [{result, state, words}, says] of cases) {
      assert.deepEqual([result, state], [undefined, 'failed']);
      assert.match(words, says);
    }
    await assert.rejects(look({...good, transaction: 'x'}), /is not a proof by a transaction/);
  });

  test('is refused after the chain removed it', async () => {
    const id = await chain.client.snapshot();
    const proof = await sent(`0x${DIGEST}`);
    assert.equal((await look(proof)).state, 'passed');
    await chain.client.revert({id});
    const {state, words} = await look(proof);
    assert.equal(state, 'failed');
    assert.match(words, /which is not on the chain/);
  });
});
