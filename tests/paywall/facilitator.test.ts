import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {afterEach, beforeEach, describe, test} from 'node:test';
import {Hono, type Context} from 'hono';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements; // the stand-in does not read other members

describe('a failed settlement', () => {
  const sent = `0x${'cd'.repeat(32)}`;
  let standIn: StandIn;
  beforeEach(async () => {
    standIn = await startStandIn();
  });
  afterEach(() => standIn.stop());

  const declined = (reason: string) => [reason, '', {kind: 'declined', reason}] as const;
  const unknown = (reason: string, transaction = '') => [reason, transaction, {kind: 'unknown'}] as const;
  const outcomes: readonly (readonly [refuse: string, sent: string, outcome: object])[] = [
    // Reasons that a facilitator can only have before it broadcasts.
    declined('invalid_exact_evm_insufficient_balance'),
    declined('invalid_exact_evm_failed_to_parse_signature'),
    declined('insufficient_funds'),
    declined('invalid_exact_evm_signature'),
    // After its own transaction was mined, a simulation fails too, and the nonce is used.
    unknown('invalid_exact_evm_transaction_simulation_failed'),
    unknown('invalid_exact_evm_nonce_already_used'),
    unknown('settlement_pending'),
    unknown('SettlementPending'),
    unknown('internal_error'),
    unknown('rpc_error'),
    unknown('The node did not answer in time'),
    unknown(''),
    unknown('some_reason_of_a_later_version'),
    // A stock facilitator says so if its node accepted the transaction and did not answer.
    unknown('invalid_exact_evm_transaction_failed'),
    unknown('invalid_exact_evm_failed_to_execute_transfer'),
    unknown('settle_exact_node_failure'),
    unknown('insufficient_funds', sent.toUpperCase().replace('X', 'x')),
    unknown('insufficient_funds', '0x'),
  ];
  for (const [refuse, sent, outcome] of outcomes)
    test(`is ${JSON.stringify(outcome)} if the reason is ${JSON.stringify(refuse)}${sent && ` and it names ${sent}`}`, async () => {
      standIn.settle = {refuse, sent};
      const settlement = await new HttpFacilitator(standIn.url).settle(payment(requirements.network), requirements);
      assert.deepEqual(settlement, outcome);
    });
});

describe('a facilitator that redirects', () => {
  const nowhere = 'http://127.0.0.1:4/settle';
  const redirecting = (status: 302 | 303 | 307 | 308, to: string) =>
    listen(new Hono().all('*', c => c.redirect(to + (to === nowhere ? '' : c.req.path), status)));

  for (const status of [302, 303, 307, 308] as const)
    test(`with ${status} to an address that does not answer may have settled the payment`, async () => {
      await using facilitator = await redirecting(status, nowhere);
      const {network} = requirements;
      const settlement = await new HttpFacilitator(facilitator.url).settle(payment(network), requirements);
      assert.deepEqual(settlement, {kind: 'unknown'});
    });

  test('with 307 or 308 to another facilitator settles there', async () => {
    const standIn = await startStandIn();
    for (const status of [307, 308] as const) {
      await using facilitator = await redirecting(status, standIn.url);
      const client = new HttpFacilitator(facilitator.url);
      assert.equal((await client.verify(payment(requirements.network), requirements)).kind, 'valid');
      assert.equal((await client.settle(payment(requirements.network), requirements)).kind, 'settled');
    }
    await standIn.stop();
  });
});

test('a facilitator with an error that names each request is reported once until the operation succeeds', async () => {
  const failed = (c: Context) => c.text(`error of request ${randomBytes(8).toString('hex')}`, 500);
  let settle: (c: Context) => Response = failed;
  const app = new Hono().post('/verify', c => c.json({isValid: true})).post('/settle', c => settle(c));
  await using facilitator = await listen(app);
  const lines: string[] = [];
  const client = new HttpFacilitator(facilitator.url, {onTrouble: line => lines.push(line)});
  const sell = async () => {
    await client.verify(payment(requirements.network), requirements);
    await client.settle(payment(requirements.network), requirements);
  };
  for (let i = 0; i < 3; i++) await sell();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /did not settle a payment: it answers 500 and no x402 answer: error of request/);
  settle = c => c.json({success: false, transaction: '', network: requirements.network});
  await sell();
  settle = failed;
  await sell();
  assert.equal(lines.length, 2);
});

test('a transaction in capitals is recorded in lower case, by which `frozen refund` finds the sale', async () => {
  const {network} = requirements;
  const answer = {success: true, transaction: `0x${'AB'.repeat(32)}`, network};
  await using facilitator = await listen(new Hono().post('/settle', c => c.json(answer)));
  const settlement = await new HttpFacilitator(facilitator.url).settle(payment(network), requirements);
  const receipt = {success: true, transaction: `0x${'ab'.repeat(32)}`, network};
  assert.deepEqual(settlement, {kind: 'settled', receipt});
});

function payment(from: string): PaymentPayload {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const authorization = {from, to: from, value: '1', validAfter: '0', validBefore: '1', nonce};
  return {x402Version: 2, accepted: requirements, payload: {signature: '0xab', authorization}};
}
