import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {test} from 'node:test';
import {chainAt} from '../../paywall/payments/chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';

test('a node that does not answer is reported without the key in its address', async () => {
  const reported: string[] = [];
  const chain = chainAt('http://127.0.0.1:4/v2/SECRET', trouble => reported.push(trouble));
  assert.deepEqual(await chain.find(newSale(), 0), {kind: 'no answer'});
  assert.equal(reported.length, 1);
  assert.match(reported[0] ?? '', /^The node 127\.0\.0\.1:4 does not report the outcome of a payment: .*ECONNREFUSED/);
  assert.ok(!reported[0]?.includes('SECRET'));
});

test('a request that the node never answers does not make others wait', async () => {
  let requests = 0;
  const node = createServer((_, response) => {
    requests += 1;
    if (requests > 1) response.end('{"jsonrpc": "2.0", "id": 1, "result": "0x1"}');
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const chain = chainAt(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
  const sale = newSale({network: 'eip155:2'});
  const unanswered = chain.find(sale, 0);
  await once(node, 'request');
  // The node reports that it belongs to another chain.
  assert.equal(await chain.find(sale, 0), undefined);
  const signed = {address: '0x1', hash: '0x2', signature: '0x3'} as const;
  assert.equal(await chain.isSigned(sale.network, signed), 'no node');
  node.closeAllConnections();
  assert.deepEqual(await unanswered, {kind: 'no answer'});
  node.close();
});
