import {randomBytes} from 'node:crypto';
import type {NewSale} from '../../paywall/ledger/sale.ts';

/** Returns a sale as the gate records it, with a random payer unless `changes` has one. */
export function newSale(changes: Partial<NewSale> = {}): NewSale {
  const network = 'eip155:84532';
  const asset = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
  const payer = `0x${randomBytes(20).toString('hex')}`;
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const sale = {
    network,
    asset,
    payer,
    payTo: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2',
    amount: '20000',
    nonce,
    validBefore: 1_780_000_000,
    payload: JSON.stringify({x402Version: 2, payload: {signature: `0x${'5a'.repeat(65)}`, authorization: {nonce}}}),
    paymentId: null,
    product: 'silent-feeds',
    url: 'https://snapshots.example/api/v1/silent-feeds',
    sha256: 'ab'.repeat(32),
    asOf: '2026-05-01',
    price: '$0.02',
    laterSnapshots: 0,
    members: [],
    redownloadDays: 30,
    facilitator: 'x402.org',
    isProven: true,
    ...changes,
  };
  return {key: [network, asset, sale.payer, sale.nonce].join(' '), ...sale};
}
