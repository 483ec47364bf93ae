import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {possibleRefunds} from '../../scripts/refund/refund.ts';
import type {ChainNode} from '../../scripts/sales/reconcile/node.ts';
import {TRANSFER} from '../../scripts/sales/reconcile/payments.ts';

const hash = (digit: number) => `0x${String(digit).repeat(64)}`;
const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const [asset, payer, payTo] = [1, 2, 3].map(digit => `0x${String(digit).repeat(40)}`) as [string, string, string];

test('an equal transfer in the block of a payment is its refund only if it follows the payment', async () => {
  const sale = {
    ...{network: 'eip155:84532', asset, payer, payTo, amount: '20000'},
    ...{key: 'a sale', transaction: hash(2), startedAt: 0},
  } as SaleRecord;
  const transfer = (digit: number) => ({
    ...{
      address: asset,
      topics: [TRANSFER, topic(payTo), topic(payer)],
      data: `0x${(20_000).toString(16).padStart(64, '0')}`,
    },
    ...{blockNumber: 7, transactionHash: hash(digit), logIndex: digit},
  });
  // The digit of a transaction is its position in the block.
  const node: ChainNode = {
    network: () => Promise.resolve('eip155:84532'),
    block: () => Promise.resolve({number: 7, hash: hash(9), timestamp: 0}),
    events: () => Promise.resolve([transfer(1), transfer(3)]),
    receipt: transaction =>
      Promise.resolve({status: '0x1', blockNumber: 7, transactionIndex: Number(transaction[2]), logs: []}),
  };
  const found = [];
  for await (const transaction of possibleRefunds(node, sale, () => undefined)) found.push(transaction);
  assert.deepEqual(found, [hash(3)]);
});
