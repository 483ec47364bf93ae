import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {toEventSelector, toHex, type Hex} from 'viem';
import {idOf, searchBackwards, type Authorization} from '../../shared/evm/authorization-uses.ts';
import type {Node} from '../../shared/evm/node.ts';

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const LATEST = 12_345n;
const authorization: Authorization = {
  network: 'eip155:84532',
  asset: `0x${'aa'.repeat(20)}`,
  payer: `0x${'bb'.repeat(20)}`,
  payTo: `0x${'cc'.repeat(20)}`,
  amount: '20000',
  nonce: `0x${'dd'.repeat(32)}`,
  validBefore: 2 ** 31,
};

interface Filter {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly topics: readonly [events: readonly Hex[], payers: readonly Hex[], nonces: readonly Hex[]];
}

describe('the events of an authorization', () => {
  test('are found many blocks back, in searches of at most 5,000 blocks', async () => {
    const {searches, uses} = await searched({block: 123n, since: 0});
    assert.deepEqual(searches, [
      [7_346n, 12_345n],
      [2_346n, 7_345n],
      [0n, 2_345n],
    ]);
    const use = {transactionHash: `0x${'ee'.repeat(32)}`, logIndex: 3, blockNumber: 123n, isCancellation: false};
    assert.deepEqual(uses, [[], [], [[idOf(authorization), use]]]);
  });

  test('are found on a node that searches fewer blocks at a time', async () => {
    const {searches, uses} = await searched({block: 11_000n, since: 0, most: 1_000n});
    assert.deepEqual(searches.slice(0, 5), [
      [7_346n, 12_345n],
      [9_846n, 12_345n],
      [11_096n, 12_345n],
      [11_721n, 12_345n],
      [11_096n, 11_720n],
    ]);
    assert.equal(uses.flat().length, 1);
    await assert.rejects(searched({since: 0, most: 0n}), /too many blocks/);
  });

  test('are asked for once if the node answers without a list', async () => {
    let requests = 0;
    const node = {request: () => (requests++, Promise.resolve(null))} as unknown as Node;
    await assert.rejects(searchBackwards(node, [authorization], LATEST, 0).next());
    assert.equal(requests, 1);
  });

  test('do not include events of another payer with this nonce, or cancellations', async () => {
    assert.deepEqual((await searched({payer: `0x${'ab'.repeat(20)}`, since: 0})).uses.flat(), []);
    const [[, use] = assert.fail()] = (await searched({event: CANCELED, since: 0})).uses.flat();
    assert.equal(use.isCancellation, true);
  });

  test('are searched at most an hour further back than the requested time', async () => {
    // The stub has one block per second.
    assert.equal((await searched({since: 12_000_000})).searches.length, 1);
    assert.equal((await searched({since: 10_000_000})).searches.length, 2);
    assert.equal((await searched({since: 5_000_000})).searches.length, 3);
  });
});

/** Searches a chain that has one event, and returns the blocks and the result of each search. */
async function searched({
  block = LATEST,
  event = USED,
  payer = authorization.payer,
  since,
  most = LATEST,
}: {
  readonly block?: bigint;
  readonly event?: Hex;
  readonly payer?: string;
  readonly since: number;
  /** The largest number of blocks that the node searches. */
  readonly most?: bigint;
}) {
  const searches: [from: bigint, to: bigint][] = [];
  const log = {
    address: authorization.asset,
    topics: [event, `0x${payer.slice(2).padStart(64, '0')}`, authorization.nonce],
    transactionHash: `0x${'ee'.repeat(32)}`,
    logIndex: toHex(3),
    blockNumber: toHex(block),
  };
  const node = {
    request: ({params: [{fromBlock, toBlock, topics}]}: {params: readonly [Filter]}) => {
      searches.push([BigInt(fromBlock), BigInt(toBlock)]);
      assert.deepEqual(topics, [[USED, CANCELED], [`0x${'00'.repeat(12)}${'bb'.repeat(20)}`], [authorization.nonce]]);
      if (BigInt(toBlock) - BigInt(fromBlock) >= most) return Promise.reject(new Error('too many blocks'));
      return Promise.resolve(BigInt(fromBlock) <= block && block <= BigInt(toBlock) ? [log] : []);
    },
    getBlock: ({blockNumber}: {blockNumber: bigint}) => Promise.resolve({timestamp: blockNumber}),
  } as unknown as Node;
  const uses = [];
  for await (const found of searchBackwards(node, [authorization], LATEST, since)) uses.push([...found]);
  return {searches, uses};
}
