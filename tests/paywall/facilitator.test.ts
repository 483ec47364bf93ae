import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {afterEach, beforeEach, describe, test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
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

function payment(from: string): PaymentPayload {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const authorization = {from, to: from, value: '1', validAfter: '0', validBefore: '1', nonce};
  return {x402Version: 2, accepted: requirements, payload: {signature: '0xab', authorization}};
}
