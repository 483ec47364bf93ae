import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {afterEach, beforeEach, describe, test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {Facilitator} from '../../paywall/payments/facilitator.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements; // a stand-in reads nothing else
const ofKey = `0x${'ab'.repeat(65)}`;
const ofContract = `0x${'ab'.repeat(200)}`;

describe('verifications that are under way at the same time', () => {
  let standIn: StandIn;
  let facilitator: Facilitator;

  beforeEach(async () => {
    standIn = await startStandIn();
    standIn.verify = 300;
    facilitator = new Facilitator(standIn.url);
  });
  afterEach(() => standIn.stop());

  test('are 48 at most, and whoever is turned away is so at once', async () => {
    const verdicts = times(100, () => verify(ofKey));
    assert.equal(await Promise.race(verdicts), 'unavailable');
    assert.deepEqual(counted(await Promise.all(verdicts)), {valid: 48, unavailable: 52});
    assert.equal(standIn.asked, 48);
  });

  test('leave their room to others when they end, however they end', async () => {
    for (const manner of ['good', 'drop', 'garbage', 'error'] as const) {
      standIn.verify = manner;
      await Promise.all(times(48, () => verify(ofKey)));
    }
    standIn.verify = 'good';
    assert.deepEqual(counted(await Promise.all(times(48, () => verify(ofKey)))), {valid: 48});
  });

  test('are 12 at most for one payer, in whichever letters, and others have theirs', async () => {
    const payer = `0x${'ab'.repeat(20)}`;
    const many = [...times(10, () => verify(ofKey, payer)), ...times(10, () => verify(ofKey, `0x${'AB'.repeat(20)}`))];
    const other = verify(ofKey);
    assert.deepEqual(counted(await Promise.all(many)), {valid: 12, unavailable: 8});
    assert.equal(await other, 'valid');
  });

  test('are 16 at most for contract wallets, which take no room from the others', async () => {
    const payer = `0x${'ab'.repeat(20)}`;
    const many = times(100, () => verify(ofContract, payer));
    assert.equal(await verify(ofKey, payer), 'valid');
    assert.deepEqual(counted(await Promise.all(many)), {valid: 16, unavailable: 84});
  });

  async function verify(signature: string, from = `0x${randomBytes(20).toString('hex')}`) {
    return (await facilitator.verify(payment(signature, from), requirements)).kind;
  }
});

function payment(signature: string, from: string): PaymentPayload {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const authorization = {from, to: from, value: '1', validAfter: '0', validBefore: '1', nonce};
  return {x402Version: 2, accepted: requirements, payload: {signature, authorization}};
}

function times<T>(count: number, act: () => T): T[] {
  return Array.from({length: count}, act);
}

function counted(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
