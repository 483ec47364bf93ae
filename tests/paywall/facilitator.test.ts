import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, beforeEach, describe, test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {HttpFacilitator} from '../../paywall/payments/http-facilitator.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements; // a stand-in reads nothing else
const ofKey = `0x${'ab'.repeat(65)}`;
const ofContract = `0x${'ab'.repeat(200)}`;

describe('verifications that are under way at the same time', () => {
  let standIn: StandIn;
  let facilitator: HttpFacilitator;

  beforeEach(async () => {
    standIn = await startStandIn();
    standIn.verify = 300;
    facilitator = new HttpFacilitator(standIn.url);
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

describe('a settlement that a facilitator calls a failure', () => {
  const sent = `0x${'cd'.repeat(32)}`;
  let standIn: StandIn;
  beforeEach(async () => {
    standIn = await startStandIn();
  });
  afterEach(() => standIn.stop());

  const outcomes: readonly (readonly [refuse: string, sent: string, outcome: object])[] = [
    ['invalid_exact_evm_insufficient_balance', '', {kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance'}],
    ['invalid_exact_evm_transaction_simulation_failed', '', {kind: 'refused'}],
    ['invalid_exact_evm_failed_to_parse_signature', '', {kind: 'refused'}],
    ['settlement_pending', '', {kind: 'unknown', sent: []}],
    // Of a stock facilitator whose node has taken the transaction, and did not say so.
    ['invalid_exact_evm_transaction_failed', '', {kind: 'unknown', sent: []}],
    ['invalid_exact_evm_failed_to_execute_transfer', '', {kind: 'unknown', sent: []}],
    ['settle_exact_node_failure', '', {kind: 'unknown', sent: []}],
    ['insufficient_funds', sent.toUpperCase().replace('X', 'x'), {kind: 'unknown', sent: [sent]}],
    ['insufficient_funds', '0x', {kind: 'unknown', sent: []}],
  ];
  for (const [refuse, sent, outcome] of outcomes)
    test(`is ${JSON.stringify(outcome)} where it says ${refuse}${sent && ` and names ${sent}`}`, async () => {
      standIn.settle = {refuse, sent};
      const settlement = await new HttpFacilitator(standIn.url).settle(
        payment(ofKey, requirements.network),
        requirements,
      );
      assert.deepEqual({...settlement, ...outcome}, settlement);
    });
});

describe('the clock of this machine', () => {
  /** Milliseconds since 1970, where everybody else is. */
  const there = Date.parse('2026-11-23T12:00:00Z');
  let server: Server;
  let facilitator: HttpFacilitator;
  let here: number;
  let asked: string[];
  let told: string[];
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    [here, asked, told] = [there, [], []];
    answer = response => response.setHeader('Date', new Date(there).toUTCString());
    server = createServer((request, response) => {
      asked.push(String(request.url));
      response.sendDate = false;
      answer(response);
      response.end('{"isValid": true}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    facilitator = new HttpFacilitator(url, {onTrouble: trouble => told.push(trouble), now: () => here});
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const minutes = 60_000;
  for (const [difference, words] of [
    [10 * minutes, '600 s ahead of'],
    [-10 * minutes, '600 s behind'],
    [31_000, '31 s ahead of'],
  ] as const)
    test(`is off when it is ${words} that of the facilitator, which the publisher is told in a line, once`, async () => {
      here = there + difference;
      for (let time = 0; time < 3; time++) assert.equal(await facilitator.clockIsOff(), true);
      assert.deepEqual(asked, ['/supported']);
      assert.equal(told.length, 1);
      assert.match(
        told[0] ?? '',
        new RegExp(`^The clock of this machine is ${words} that of the facilitator .*[^\n]$`),
      );
    });

  test('is right when it differs by no more than buyers may', async () => {
    for (const difference of [0, 29_000, -29_000]) {
      here = there + difference;
      assert.equal(await facilitator.clockIsOff(), false);
    }
    assert.deepEqual(told, []);
  });

  test('is right again once it is set right, and told of again when it is wrong again', async () => {
    for (const [difference, isOff] of [
      [10 * minutes, true],
      [0, false],
      [-10 * minutes, true],
    ] as const) {
      here = there + difference;
      assert.equal(await facilitator.clockIsOff(), isOff);
    }
    assert.equal(told.length, 2);
  });

  test('is compared anew after 30 seconds, and with the answers to sales', async () => {
    await facilitator.verify(payment(ofKey, `0x${'ab'.repeat(20)}`), requirements);
    here = there + 29_999;
    assert.equal(await facilitator.clockIsOff(), false);
    assert.deepEqual(asked, ['/verify']);
    here = there + 40_000;
    assert.equal(await facilitator.clockIsOff(), true);
    assert.deepEqual(asked, ['/verify', '/supported']);
  });

  const silences: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'does not say': () => undefined,
    'says what is no date': response => response.setHeader('Date', 'noon'),
    'cannot be reached': response => response.destroy(),
    'repeats an answer of ten minutes ago': response => {
      response.setHeader('Date', new Date(there - 10 * minutes).toUTCString()).setHeader('Age', '600');
    },
  };
  for (const [what, silence] of Object.entries(silences))
    test(`is taken for right when the facilitator ${what}, which is asked once in 30 seconds`, async () => {
      answer = silence;
      for (let time = 0; time < 3; time++) assert.equal(await facilitator.clockIsOff(), false);
      assert.deepEqual(asked, ['/supported']);
      assert.deepEqual(told, []);
    });

  test('is taken for off while the facilitator is being asked: nobody waits for the question of another', async () => {
    const first = facilitator.clockIsOff();
    assert.equal(await facilitator.clockIsOff(), true);
    assert.equal(await first, false);
    assert.deepEqual(asked, ['/supported']);
  });
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
