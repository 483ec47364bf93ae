import assert from 'node:assert/strict';
import {test} from 'node:test';
import {createSIWxPayload, encodeSIWxHeader} from '@x402/extensions/sign-in-with-x';
import {privateKeyToAccount} from 'viem/accounts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {signInTerms} from '../../paywall/payments/protocol/sign-in-terms.ts';
import {entitlementOf} from '../../paywall/payments/sales/entitlement.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import {newSale} from '../ledger/new-sale.ts';
import {challengeOf} from './sign-in.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const other = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const payer = account.address.toLowerCase();
const url = 'https://snapshots.example/api/v1/a';
const network = 'eip155:84532';
const [SHA256, FORMER] = ['ab', 'cd'];
const offer = {
  ...{url, requirements: [{network}], signIn: signInTerms(url, [network]), redownloadDays: 30},
  ...{snapshot: {sha256: SHA256}, rule: {snapshots: {a: []}}},
} as unknown as Offer; // other members are not read

interface World {
  /** The digest of the requested document. By default that of the document for sale. */
  readonly sha256?: string;
  readonly bought?: Partial<Sale>;
  readonly pass?: Partial<Sale>;
  readonly isForged?: true;
  readonly isBusy?: true;
  readonly isLeased?: true;
}

function saleOf(changes: Partial<Sale>): Sale {
  return {
    ...newSale({url, members: ['a'], laterSnapshots: 1}),
    ...{state: 'delivered', reason: null, transaction: '0x9', startedAt: 1, settledAt: 1, deliveredAt: 2},
    ...{finalAt: null, refund: null, refundedAt: null, leasedUntil: 0, readAt: 3, ...changes},
  };
}

/** Signs in, and returns the entitlement with the calls of the ledger. */
async function entitled({sha256 = SHA256, bought, pass, isForged, isBusy, isLeased}: World) {
  const calls: unknown[][] = [];
  const ledger = {
    bought(...asked: unknown[]) {
      calls.push(['bought', ...asked]);
      return Promise.resolve(bought && saleOf(bought));
    },
    passes(...asked: unknown[]) {
      calls.push(['passes', ...asked]);
      return Promise.resolve(pass ? [saleOf(pass)] : []);
    },
    signIn(...asked: unknown[]) {
      calls.push(['signIn', ...asked]);
      return Promise.resolve(true);
    },
    lease: () => Promise.resolve(isLeased ? undefined : saleOf({...(bought ?? pass)})),
    renew: () => Promise.resolve(true),
  };
  const verifications = {
    run(claimant: unknown, verify: () => unknown) {
      calls.push(['verify', claimant]);
      return Promise.resolve(isBusy ? {kind: 'retry', reason: 'busy'} : verify());
    },
  };
  const services = {ledger, verifications, recover: recoverOnNode} as unknown as PaymentServices; // other members are not used
  const signed = await createSIWxPayload(challengeOf(offer), account, url);
  const forged = await createSIWxPayload(challengeOf(offer), other, url);
  const header = encodeSIWxHeader({...signed, ...(isForged && {signature: forged.signature})});
  const entitlement = await entitlementOf({kind: 'sign-in', header, sha256, client: 'a client'}, offer, services);
  const {sale} = entitlement.kind === 'entitled' ? entitlement : {};
  sale?.lease?.drop();
  return {
    calls,
    outcome: sale
      ? {transaction: sale.receipt.transaction, isLeased: sale.lease !== undefined, archived: sale.archived}
      : entitlement,
  };
}

const owned = {transaction: '0x9', isLeased: false, archived: undefined};
const leased = {...owned, isLeased: true};
const settled = {state: 'settled', deliveredAt: null} as const;
const notPaid = {kind: 'refused', reason: 'siwx_not_paid'};
const cases: readonly [what: string, world: World, expected: object][] = [
  ['that it did not buy', {}, notPaid],
  ['that it bought', {bought: {}}, owned],
  ['that it bought and did not receive', {bought: settled}, leased],
  ['that it bought and did not collect', {bought: {...settled, state: 'expired'}}, leased],
  ['of an earlier snapshot that it bought', {bought: {}, sha256: FORMER}, {...owned, archived: FORMER}],
  ['of an earlier snapshot that it did not receive', {bought: settled, sha256: FORMER}, {...leased, archived: FORMER}],
  ['of its pass', {pass: {}}, owned],
  ['of an earlier snapshot of its pass', {pass: {}, sha256: FORMER}, notPaid],
  ['that is being delivered', {bought: settled, isLeased: true}, {kind: 'retry', reason: 'in_flight'}],
  ['with the signature of another', {bought: {}, isForged: true}, {kind: 'refused', reason: 'invalid_siwx_signature'}],
  ['while too many are verified', {bought: {}, isBusy: true}, {kind: 'retry', reason: 'busy'}],
];
for (const [what, world, expected] of cases)
  test(`a buyer who signs in for a document ${what} has ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual((await entitled(world)).outcome, expected);
  });

test('a sign-in is verified only if there is something to deliver', async () => {
  const buyer = {network, payer, url};
  const bought = ['bought', buyer, SHA256];
  assert.deepEqual((await entitled({})).calls, [bought, ['passes', buyer]]);
  assert.deepEqual((await entitled({sha256: FORMER})).calls, [['bought', buyer, FORMER]]);
  assert.deepEqual((await entitled({bought: {}})).calls, [
    bought,
    ['verify', {client: 'a client', payer, isByKey: true}],
    ['signIn', payer, '0123456789abcdef'.repeat(2)],
  ]);
});
