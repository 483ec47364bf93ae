import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  encodeAbiParameters,
  encodeEventTopics,
  HttpRequestError,
  parseAbi,
  toHex,
  TransactionReceiptNotFoundError,
} from 'viem';
import type {Address, Hex} from 'viem';
import {TooLarge} from '../../shared/bounded-fetch.ts';
import {isOverAt, statusesOf} from '../../shared/evm/authorization-status.ts';
import type {Authorization} from '../../shared/evm/authorization-uses.ts';
import type {Node} from '../../shared/evm/node.ts';

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const LATEST = 20_000n;
const TIME = 1_780_000_000;

interface Transfer {
  readonly transactionHash: Hex;
  readonly logIndex: number;
  readonly address: Address;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
}

/** The effect of a transaction on an authorization. */
interface Use {
  readonly of: Authorization;
  readonly event?: 'AuthorizationUsed' | 'AuthorizationCanceled';
  readonly transactionHash?: Hex;
  readonly logIndex?: number;
  readonly block?: bigint;
}

interface World {
  readonly uses?: readonly Use[];
  readonly transfers?: readonly Transfer[];
  readonly final?: bigint;
  readonly hasMulticall?: boolean;
  /** The error for every request of a receipt. */
  readonly receiptError?: Error;
  /** True if searches find no transfers, as on a node that indexes late. */
  readonly lacksTransfers?: boolean;
  /** The error for every search for transfers. */
  readonly transfersError?: Error;
}

const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`;
const transactionOf = (digit: string): Hex => `0x${digit.repeat(64)}`;

function authorizationOf(digit: string, changes: Partial<Authorization> = {}): Authorization {
  return {
    ...{network: 'eip155:84532', asset: addressOf('a'), payer: addressOf(digit), payTo: addressOf('f')},
    ...{amount: '20000', nonce: transactionOf(digit), validBefore: TIME, ...changes},
  };
}

/** The transfer that pays for a use of an authorization. */
function transferOf({of, transactionHash = transactionOf('7'), logIndex = 3}: Use): Transfer {
  return {
    ...{transactionHash, logIndex: logIndex + 1, address: of.asset as Address},
    ...{from: of.payer as Address, to: of.payTo as Address, value: BigInt(of.amount)},
  };
}

/** Returns a node of a chain with these transactions, and the requests to it. */
function nodeOf({uses = [], transfers = uses.map(transferOf), final = 0n, ...world}: World) {
  const asked: string[] = [];
  const isUsed = ([payer, nonce]: readonly string[]) => uses.some(({of}) => of.payer === payer && of.nonce === nonce);
  const logOf = (transfer: Transfer) => ({
    ...transfer,
    topics: encodeEventTopics({abi, eventName: 'Transfer', args: transfer}),
    data: encodeAbiParameters([{type: 'uint256'}], [transfer.value]),
    args: transfer,
  });
  const node = {
    getBlock({blockTag, blockNumber}: {blockTag?: string; blockNumber?: bigint} = {}) {
      asked.push(`block ${blockTag ?? blockNumber ?? 'latest'}`);
      return Promise.resolve({number: blockTag ? final : LATEST, timestamp: BigInt(TIME)});
    },
    readContract({address, functionName, args, blockNumber}: Record<string, unknown> & {args: string[]}) {
      asked.push(`${String(functionName)} of ${String(address)} at ${String(blockNumber)}`);
      return Promise.resolve(isUsed(args));
    },
    multicall({contracts, blockNumber}: {contracts: {args: string[]}[]; blockNumber: bigint}) {
      asked.push(`multicall at ${blockNumber}`);
      return Promise.resolve(
        contracts.map(({args}) => (world.hasMulticall === false ? {status: 'failure'} : {result: isUsed(args)})),
      );
    },
    request({params: [{fromBlock, toBlock}]}: {params: [{fromBlock: Hex; toBlock: Hex}]}) {
      asked.push(`events ${Number(fromBlock)}-${Number(toBlock)}`);
      const found = uses.filter(({block = LATEST}) => block >= BigInt(fromBlock) && block <= BigInt(toBlock));
      return Promise.resolve(
        found.map(({of, event = 'AuthorizationUsed', transactionHash, logIndex = 3, block = LATEST}) => ({
          address: of.asset,
          topics: encodeEventTopics({
            abi,
            eventName: event,
            args: {authorizer: of.payer as Address, nonce: of.nonce as Hex},
          }),
          transactionHash: transactionHash ?? transactionOf('7'),
          logIndex: toHex(logIndex),
          blockNumber: toHex(block),
        })),
      );
    },
    getLogs({
      address,
      args,
      fromBlock,
      toBlock,
    }: {
      address: Address[];
      args: {from: Address[]; to: Address[]};
      fromBlock: bigint;
      toBlock: bigint;
    }) {
      asked.push(
        `transfers ${fromBlock}-${toBlock} of ${address.length} from ${args.from.length} to ${args.to.length}`,
      );
      if (world.transfersError) return Promise.reject(world.transfersError);
      return Promise.resolve(world.lacksTransfers ? [] : transfers.map(logOf));
    },
    getTransactionReceipt({hash}: {hash: Hex}) {
      asked.push(`receipt ${hash.slice(0, 3)}`);
      if (world.receiptError) return Promise.reject(world.receiptError);
      return Promise.resolve({logs: transfers.filter(each => each.transactionHash === hash).map(logOf)});
    },
  };
  return {asked, node: node as unknown as Node}; // other requests are not made
}

/** The status of one authorization. */
async function statusOf(of: Authorization, world: World) {
  const {node, asked} = nodeOf(world);
  const [status] = await statusesOf(node, [of], TIME * 1000);
  return {status, asked};
}

const one = authorizationOf('1');
const use = {of: one};
const paid = {kind: 'paid', transaction: transactionOf('7'), isFinal: false} as const;
const elsewhere = {kind: 'used elsewhere', isFinal: false} as const;

test('an authorization without a use is unused at the time of the latest block', async () => {
  const {status, asked} = await statusOf(one, {});
  assert.deepEqual(status, {kind: 'unused', at: TIME * 1000});
  assert.deepEqual(asked, ['block latest', `authorizationState of ${one.asset} at 20000`]);
});

test('a transfer to the payee in the transaction that used it is a payment', async () => {
  const {status, asked} = await statusOf(one, {uses: [use], final: LATEST - 1n});
  assert.deepEqual(status, paid);
  const search = 'transfers 20000-20000 of 1 from 1 to 1';
  assert.deepEqual(asked.slice(2), ['events 15001-20000', search, 'block finalized']);
  assert.deepEqual((await statusOf(one, {uses: [use], final: LATEST})).status, {...paid, isFinal: true});
});

test('a cancellation is not a payment, even in a transaction with such a transfer', async () => {
  const cancelled: Use = {of: one, event: 'AuthorizationCanceled'};
  const {status, asked} = await statusOf(one, {uses: [cancelled], final: LATEST - 1n});
  assert.deepEqual(status, elsewhere);
  assert.ok(!asked.some(question => question.startsWith('receipt')));
  assert.deepEqual((await statusOf(one, {uses: [cancelled], final: LATEST})).status, {...elsewhere, isFinal: true});
});

const payment = transferOf(use);
const others: readonly [what: string, transfers: readonly Transfer[]][] = [
  ['no transfer', []],
  ['a transfer to another payee', [{...payment, to: addressOf('9')}]],
  ['a transfer from another payer', [{...payment, from: addressOf('9')}]],
  ['a transfer of another amount', [{...payment, value: 19_999n}]],
  ['a transfer of another token', [{...payment, address: addressOf('9')}]],
  ['an earlier transfer in the transaction', [{...payment, logIndex: 2}]],
  ['the transfer of a later payment in the transaction', [{...payment, logIndex: 5}]],
];
for (const [what, transfers] of others)
  test(`${what} is not a payment`, async () => {
    assert.deepEqual((await statusOf(one, {uses: [use], transfers})).status, elsewhere);
  });

test('a transfer of another transaction is not a payment', async () => {
  const [two, of] = [authorizationOf('2'), one];
  const uses = [{of}, {of: two, transactionHash: transactionOf('8')}];
  const transfers = uses.map(use => ({...transferOf(use), transactionHash: transactionOf('8')}));
  const {node} = nodeOf({uses, transfers});
  const [first, second] = await statusesOf(node, [one, two], TIME * 1000);
  assert.deepEqual(first, elsewhere);
  assert.deepEqual(second, {...paid, transaction: transactionOf('8')});
});

test('the status is unknown if the receipt cannot be read, and other failures of the node are errors', async () => {
  const missing = new TransactionReceiptNotFoundError({hash: transactionOf('7')});
  const {status, asked} = await statusOf(one, {uses: [use], transfers: [], receiptError: missing});
  assert.deepEqual(status, {kind: 'no answer'});
  assert.ok(!asked.includes('block finalized'));
  for (const receiptError of [new Error('no node'), new HttpRequestError({url: 'http://node', details: 'no node'})])
    await assert.rejects(statusOf(one, {uses: [use], transfers: [], receiptError}), /no node/);
});

const tooLarge = new HttpRequestError({url: 'http://node', cause: new TooLarge('the answer is larger than 7 bytes')});

test('the search decides if a receipt is too large', async () => {
  const [two, three] = [authorizationOf('2'), authorizationOf('3')];
  const uses: Use[] = [use, {of: two, logIndex: 8}];
  const world = {uses, transfers: [transferOf(use)], receiptError: tooLarge};
  const statuses = await statusesOf(nodeOf(world).node, [one, two, three], TIME * 1000);
  assert.deepEqual(statuses, [paid, elsewhere, {kind: 'unused', at: TIME * 1000}]);
  const {node} = nodeOf({...world, transfersError: tooLarge});
  const unknown = {kind: 'no answer'};
  assert.deepEqual(await statusesOf(node, [one, three], TIME * 1000), [unknown, {kind: 'unused', at: TIME * 1000}]);
});

test('the receipts decide if the search for transfers fails', async () => {
  const {node} = nodeOf({uses: [use, {of: authorizationOf('2'), logIndex: 8}], transfersError: tooLarge});
  assert.deepEqual(await statusesOf(node, [one, authorizationOf('2')], TIME * 1000), [paid, paid]);
});

test('a payment counts, as not final, if the node does not know a final block', async () => {
  const {node} = nodeOf({uses: [use], final: LATEST});
  const getBlock: unknown = (asked?: Parameters<Node['getBlock']>[0]) =>
    asked?.blockTag ? Promise.reject(new Error('finalized block not found')) : node.getBlock(asked);
  assert.deepEqual(await statusesOf({...node, getBlock} as Node, [one], TIME * 1000), [paid]);
});

test('the status is unknown if the event of a used authorization is missing', async () => {
  const {status} = await statusOf(one, {uses: [{...use, block: LATEST + 1n}]});
  assert.deepEqual(status, {kind: 'no answer'});
});

test('the search ends at the last use', async () => {
  const two = authorizationOf('2');
  const {node, asked} = nodeOf({uses: [use, {of: two, block: 12_000n}]});
  const statuses = await statusesOf(node, [one, two, authorizationOf('3')], 0);
  assert.deepEqual(statuses, [paid, paid, {kind: 'unused', at: TIME * 1000}]);
  const searches = asked.filter(question => question.startsWith('events'));
  assert.deepEqual(searches, ['events 15001-20000', 'events 10001-15000']);
});

test('several authorizations need about as many requests as one', async () => {
  const two = authorizationOf('2', {asset: addressOf('b'), payTo: addressOf('e')});
  const uses = [
    {of: one, block: 18_500n},
    {of: two, logIndex: 8, block: 19_000n},
    {of: authorizationOf('3'), logIndex: 12, block: 18_000n},
    {of: authorizationOf('4'), logIndex: 16, block: 18_600n},
  ];
  const {node, asked} = nodeOf({uses});
  const all = uses.map(({of}) => of);
  assert.deepEqual(await statusesOf(node, all, TIME * 1000), [paid, paid, paid, paid]);
  assert.deepEqual(asked, [
    ...['block latest', 'multicall at 20000', 'events 15001-20000'],
    ...['transfers 18000-19000 of 2 from 4 to 2', 'block finalized'],
  ]);
});

test('addresses are searched once, and cancellations are not searched', async () => {
  const uses: Use[] = [
    {of: one},
    {of: authorizationOf('1', {nonce: transactionOf('4')}), logIndex: 8},
    {of: authorizationOf('2'), event: 'AuthorizationCanceled', block: 16_000n},
  ];
  const {node, asked} = nodeOf({uses});
  const statuses = await statusesOf(
    node,
    uses.map(({of}) => of),
    TIME * 1000,
  );
  assert.deepEqual(statuses, [paid, paid, elsewhere]);
  assert.ok(asked.includes('transfers 20000-20000 of 1 from 1 to 1'));
});

test('the receipt decides if the search finds no transfer', async () => {
  const uses = [use, {of: authorizationOf('2'), logIndex: 8}];
  const {node, asked} = nodeOf({uses, lacksTransfers: true});
  const statuses = await statusesOf(
    node,
    uses.map(({of}) => of),
    TIME * 1000,
  );
  assert.deepEqual(statuses, [paid, paid]);
  assert.equal(asked.filter(question => question === 'receipt 0x7').length, 2);
});

test('on a chain without Multicall3 there is a request for each authorization', async () => {
  const {node, asked} = nodeOf({uses: [use], hasMulticall: false});
  const unused = {kind: 'unused', at: TIME * 1000};
  assert.deepEqual(await statusesOf(node, [one, authorizationOf('2')], TIME * 1000), [paid, unused]);
  assert.equal(asked.filter(question => question.endsWith('at 20000') && !question.startsWith('multi')).length, 2);
});

test('without authorizations only the latest block is requested', async () => {
  const {node, asked} = nodeOf({});
  assert.deepEqual(await statusesOf(node, [], 0), []);
  assert.deepEqual(asked, ['block latest']);
});

for (const [at, forMs, expected] of [
  [TIME * 1000 - 1, undefined, false],
  [TIME * 1000, undefined, true],
  [TIME * 1000 + 4, 5, false],
  [TIME * 1000 + 5, 5, true],
] as const)
  test(`an authorization is ${expected ? '' : 'not '}over ${at - TIME * 1000} ms after its expiry, for at least ${forMs ?? 0} ms`, () => {
    assert.equal(isOverAt(at, one, forMs), expected);
  });
