import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {PaymentRequirements} from '@x402/core/types';
import {readPayment} from '../../paywall/payments/protocol/payment.ts';

const payTo = `0x${'d'.repeat(40)}`;
const extra = {name: 'USDC', version: '2'};
const requirements: PaymentRequirements = {
  ...{scheme: 'exact', network: 'eip155:84532', asset: `0x${'c'.repeat(40)}`, payTo, amount: '20000'},
  ...{maxTimeoutSeconds: 300, extra},
};
const product = {
  ...{url: 'https://snapshots.example/api/v1/a', snapshot: {sha256: 'ab', as_of: '2026-05-01'}},
  requirements: [requirements],
};
const authorization = {from: payTo, to: payTo, value: '20000', validAfter: '0', validBefore: '1'};
const payload = {signature: '0x5a', authorization: {...authorization, nonce: `0x${'1'.repeat(64)}`}};
/** In processor time, which other programs do not affect. The gate does nothing else meanwhile. */
const SOON_MS = 300;

/** A member of `extra` takes up to seconds to compare from a depth of 1,000 on, and cannot be compared from one of 10,000 on. */
const texts = [1_000, 1_800, 10_000].flatMap(depth => [
  '['.repeat(depth) + ']'.repeat(depth),
  `${'{"a":'.repeat(depth / 4)}1${'}'.repeat(depth / 4)}`,
]);

for (const [at, text] of texts.entries())
  for (const member of ['name', 'other'])
    test(`a payment with nested terms (${at}) in ${member} is read at once`, () => {
      const accepted = {...requirements, extra: {...extra, [member]: 'nested'}};
      const json = JSON.stringify({x402Version: 2, accepted, payload}).replace('"nested"', text);
      const before = process.cpuUsage();
      const read = readPayment(Buffer.from(json).toString('base64'), product);
      assert.ok(process.cpuUsage(before).user / 1000 < SOON_MS);
      if (member === 'name') assert.deepEqual(read, {reason: 'No matching payment requirements'});
      else assert.ok('key' in read);
    });
