import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {afterEach, beforeEach, describe, test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements; // a stand-in reads nothing else
const [ofKey, ofContract] = [true, false];

describe('verifications at the same time', () => {
  let standIn: StandIn;
  let facilitator: HttpFacilitator;

  beforeEach(async () => {
    standIn = await startStandIn();
    standIn.verify = 300;
    facilitator = new HttpFacilitator(standIn.url);
  });
  afterEach(() => standIn.stop());

  test('are 48 at most, and further ones are refused at once', async () => {
    const verdicts = times(100, () => verify(ofKey));
    assert.equal(await Promise.race(verdicts), 'unavailable');
    assert.deepEqual(counted(await Promise.all(verdicts)), {valid: 48, unavailable: 52});
    assert.equal(standIn.asked, 48);
  });

  test('free their place when they end, however they end', async () => {
    for (const manner of ['good', 'drop', 'garbage', 'error'] as const) {
      standIn.verify = manner;
      await Promise.all(times(48, () => verify(ofKey)));
    }
    standIn.verify = 'good';
    assert.deepEqual(counted(await Promise.all(times(48, () => verify(ofKey)))), {valid: 48});
  });

  test('are 12 at most for one payer, in upper or lower case, and do not count for others', async () => {
    const payer = `0x${'ab'.repeat(20)}`;
    const many = [...times(10, () => verify(ofKey, payer)), ...times(10, () => verify(ofKey, `0x${'AB'.repeat(20)}`))];
    const other = verify(ofKey);
    assert.deepEqual(counted(await Promise.all(many)), {valid: 12, unavailable: 8});
    assert.equal(await other, 'valid');
  });

  test('are 16 at most for contract wallets, and do not count for keys', async () => {
    const payer = `0x${'ab'.repeat(20)}`;
    const many = times(100, () => verify(ofContract, payer));
    assert.equal(await verify(ofKey, payer), 'valid');
    assert.deepEqual(counted(await Promise.all(many)), {valid: 16, unavailable: 84});
  });

  async function verify(isKey: boolean, from = `0x${randomBytes(20).toString('hex')}`) {
    return (await facilitator.verify(payment(from), requirements, isKey)).kind;
  }
});

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

function payment(from: string): PaymentPayload {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const authorization = {from, to: from, value: '1', validAfter: '0', validBefore: '1', nonce};
  return {x402Version: 2, accepted: requirements, payload: {signature: '0xab', authorization}};
}

function times<T>(count: number, act: () => T): T[] {
  return Array.from({length: count}, act);
}

function counted(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
