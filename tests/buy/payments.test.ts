import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {Payments, type Payment} from '../../buyer/buy/payments.ts';

const address = `0x${'11'.repeat(20)}`;

/** A payment of one dollar whose document has arrived. */
function paymentAt(signedAt: string): Payment {
  return {
    ...{site: 'https://snapshots.example', name: 'softfail3', sha256: signedAt, as_of: '2026-05-01T00:00:00.000Z'},
    ...{network: 'eip155:84532', asset: address, payer: address, payTo: address, amount: '1000000'},
    ...{nonce: `0x${'22'.repeat(32)}`, signedAt, validBefore: 1, state: 'closed'},
  };
}

test('the budget counts what was signed today, also if the clock was ahead until tomorrow meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  try {
    for (const signedAt of ['2026-05-07T12:00:00.000Z', '2026-05-09T23:30:00.000Z', '2026-05-10T23:30:00.000Z'])
      await (await Payments.read(folder)).add(paymentAt(signedAt));
    const payments = await Payments.read(folder);
    assert.equal(payments.spentOn('2026-05-09'), 2_000_000);
    assert.equal(payments.spentOn('2026-05-10'), 1_000_000);
    assert.equal(payments.all.length, 2);
  } finally {
    await rm(folder, {recursive: true});
  }
});
