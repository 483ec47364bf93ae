import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import type {Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import type {Reservation} from '../../paywall/ledger/reservation.ts';
import type {State} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {isFilled, rebroadcast} from '../../paywall/settler/rebroadcast.ts';
import type {Transactions} from '../../paywall/settler/transactions.ts';
import {newSale} from '../ledger/new-sale.ts';

const signer = {network: 'eip155:84532', address: '0xa1'};
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const draft = {type: 'eip1559', chainId: 1, nonce: 4, to: account.address, gas: 21_000n, maxFeePerGas: 1n} as const;
const signed = await account.signTransaction({...draft, data: '0xabcd'});
const filler = await account.signTransaction(draft);

/** A reserved nonce in the ledger, with its sale. */
interface Entry {
  readonly nonce: number;
  /** Milliseconds since it was sent. By default a minute. */
  readonly age?: number;
  readonly transactions?: readonly Hex[];
  /** By default `pending`. Undefined if the sale was pruned. */
  readonly state?: State | 'leased' | undefined;
}

/** Rebroadcasts these nonces, and returns the filled nonces and the transactions that were sent again. */
async function rebroadcasted(entries: readonly Entry[], counts: readonly [count: number, pending: number]) {
  const ledger = await openSqlite(':memory:');
  const done: unknown[] = [];
  const reservations: Reservation[] = [];
  for (const {nonce, age = 60_000, transactions = [signed], ...entry} of entries) {
    const state = 'state' in entry ? entry.state : 'pending';
    const sale = newSale();
    if (state !== undefined) await ledger.start(sale, 'a process');
    if (state !== 'leased' && state !== undefined)
      await ledger.move(
        sale.key,
        'a process',
        state === 'declined' ? {to: state, reason: ''} : {to: state as 'pending' | 'settled'},
      );
    await ledger.reserveNonce(signer, sale.key, nonce);
    for (const [at, transaction] of transactions.entries())
      await ledger.addTransaction(signer, {nonce, transactions: transactions.slice(0, at)}, transaction, 1);
    reservations.push({nonce, sale: sale.key, age, transactions});
  }
  const isFree = async () => {
    const sales = await ledger.list({limit: 10});
    return sales.every(({leasedUntil, readAt}) => leasedUntil < readAt);
  };
  const transactions = {
    async fill(nonce: number, isReserved: boolean) {
      done.push(['fill', nonce, isReserved]);
      assert.equal(await isFree(), !isReserved);
    },
    resend({nonce, transactions}: Reservation, isStuck: boolean) {
      done.push([isStuck ? 'replace' : 'send', nonce, ...transactions]);
      return nonce === 13 ? Promise.reject(new Error('no node')) : Promise.resolve(transactions);
    },
  } as unknown as Transactions; // rebroadcasting calls no other methods
  const failure: unknown = await rebroadcast(transactions, ledger, reservations, counts).catch(
    (error: unknown) => error,
  );
  return {done, failure, isFree: await isFree()};
}

const cases: readonly [
  what: string,
  entries: readonly Entry[],
  counts: readonly [number, number],
  done: readonly unknown[],
][] = [
  ['nothing if there are no reservations', [], [0, 0], []],
  ['no transaction that is mined', [{nonce: 3}], [4, 4], []],
  ['no transaction that was sent five seconds ago', [{nonce: 4, age: 5_000}], [4, 4], []],
  ['a transaction again that was sent earlier', [{nonce: 4, age: 5_001}], [4, 4], [['send', 4, signed]]],
  [
    'no replacement of a transaction that waits for 20 seconds',
    [{nonce: 4, age: 20_000}],
    [4, 4],
    [['send', 4, signed]],
  ],
  ['a replacement of a stuck transaction', [{nonce: 4, age: 20_001}], [4, 4], [['replace', 4, signed]]],
  [
    'no replacement of a transaction that waits for a lower nonce',
    [{nonce: 4, age: 0}, {nonce: 5}],
    [4, 6],
    [['send', 5, signed]],
  ],
  ['a filler for a reserved nonce without a transaction', [{nonce: 4, transactions: []}], [4, 4], [['fill', 4, true]]],
  [
    'fillers for nonces that are missing in the ledger and the pool',
    [
      {nonce: 5, age: 0},
      {nonce: 8, age: 0},
    ],
    [4, 4],
    [
      ['fill', 4, false],
      ['fill', 6, false],
      ['fill', 7, false],
    ],
  ],
  ['fillers for nonces that are missing above the pool', [{nonce: 8, age: 0}], [4, 7], [['fill', 7, false]]],
  ['fillers for nonces that are missing above the blocks', [{nonce: 8, age: 0}], [7, 4], [['fill', 7, false]]],
  [
    'a filler for the next nonce if it is missing in the ledger, and a sale has waited for it for 20 seconds',
    [
      {nonce: 6, age: 20_001},
      {nonce: 8, age: 0},
    ],
    [4, 9],
    [
      ['fill', 4, false],
      ['send', 6, signed],
    ],
  ],
  ['no filler for a nonce in the pool for which a sale has waited for less', [{nonce: 5, age: 5_000}], [4, 6], []],
  ['no transaction of a sale that another process works on', [{nonce: 4, state: 'leased'}], [4, 4], []],
  [
    'the filled nonce of a sale that another process works on, because that process waits for it',
    [{nonce: 4, state: 'leased', transactions: [filler]}],
    [4, 4],
    [['replace', 4, filler]],
  ],
  ['the transaction of a settled sale', [{nonce: 4, state: 'settled'}], [4, 4], [['replace', 4, signed]]],
  ['the transaction of a pruned sale', [{nonce: 4, state: undefined}], [4, 4], [['replace', 4, signed]]],
];

describe('rebroadcasting sends', () => {
  for (const [what, entries, counts, expected] of cases)
    test(what, async () => {
      const {done, failure} = await rebroadcasted(entries, counts);
      assert.deepEqual([done, failure], [expected, undefined]);
    });

  test('and releases the sale, also if the node fails', async () => {
    assert.equal((await rebroadcasted([{nonce: 4}], [4, 4])).isFree, true);
    const {failure, isFree} = await rebroadcasted([{nonce: 13}], [13, 13]);
    assert.match(String(failure), /no node/);
    assert.equal(isFree, true);
  });
});

test('a nonce is filled if any of its transactions pays for nothing', () => {
  const filled = (transactions: readonly Hex[]) => isFilled({nonce: 4, sale: '', age: 0, transactions});
  assert.deepEqual([filled([]), filled([signed]), filled([signed, filler])], [false, false, true]);
});
