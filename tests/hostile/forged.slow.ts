import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {json} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import pMap from 'p-map';
import pidusage from '../extra/pidusage.js';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {fixtureSite, type FixtureSite} from '../paywall/fixture-site.ts';
import {encoded, forge, forger} from '../paywall/forge.ts';
import {spawnGate, type GateProcess} from '../paywall/gate-process.ts';
import {decoded} from '../paywall/hand-made.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';

const PAYMENTS = 3_000;
const CONNECTIONS = 50;
const MIB = 1024 * 1024;
const paid = '/api/v1/softfail3';

describe('a flood of payments that are valid except for their signatures', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: GateProcess;

  before(async () => {
    site = await fixtureSite();
    facilitator = await startStandIn();
    gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
  });
  after(async () => {
    gate.signal('SIGTERM');
    await gate.exitCode;
    await facilitator.stop();
    await site.remove();
  });

  test('is refused without a request to the facilitator, and in bounded memory', {timeout: 300_000}, async t => {
    const url = (await gate.url) + paid;
    const forged = forger(decoded(await fetch(url), 'PAYMENT-REQUIRED'));
    const refuse = (count: number) =>
      pMap(Array(count), () => assertRefused(url, forged()), {concurrency: CONNECTIONS});
    await refuse(PAYMENTS / 5); // After this, the gate's code is compiled, and its memory has the size for many concurrent requests.
    const [before, begun] = [await pidusage(gate.pid ?? 0), performance.now()];
    await refuse(PAYMENTS);
    const [after, wall] = [await pidusage(gate.pid ?? 0), performance.now() - begun];
    const cpu = after.ctime - before.ctime;
    t.diagnostic(
      `${Math.round((PAYMENTS / wall) * 1000)} per second next to their generator; ${Math.round((PAYMENTS / cpu) * 1000)} per second of the gate's processor time`,
    );
    t.diagnostic(`${Math.round(before.memory / MIB)} MiB before, ${Math.round(after.memory / MIB)} after`);
    assert.equal(facilitator.asked, 0);
    assert.ok(after.memory < before.memory + 50 * MIB, `${before.memory} bytes before, ${after.memory} after`);
  });
});

test('at most 4 payments of invented contract wallets are verified at a time for one client, in bounded memory, while keys can buy', async t => {
  const [site, facilitator] = [await fixtureSite(), await startSlowForContracts()];
  const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
  const url = (await gate.url) + paid;
  const challenge = decoded(await fetch(url), 'PAYMENT-REQUIRED');
  const madeUp = forger(challenge, 700);
  const flood = () => pMap(Array(PAYMENTS / 4), () => statusOf(url, madeUp()), {concurrency: CONNECTIONS});
  await flood();
  const {memory} = await pidusage(gate.pid ?? 0);
  const under = flood();
  await sleep(200);
  const honest = await forge(challenge, privateKeyToAccount(generatePrivateKey()));
  assert.equal(await statusOf(url, encoded(honest)), 200);
  assert.deepEqual(new Set(await under), new Set([402, 503]));
  const after = await pidusage(gate.pid ?? 0);
  t.diagnostic(`${Math.round(memory / MIB)} MiB before, ${Math.round(after.memory / MIB)} after`);
  assert.ok(after.memory < memory + 50 * MIB, `${memory} bytes before, ${after.memory} after`);
  assert.equal(facilitator.most(), 4);
  gate.signal('SIGTERM');
  await gate.exitCode;
  facilitator.stop();
  await site.remove();
});

async function assertRefused(url: string, payment: string): Promise<void> {
  const response = await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}});
  assert.equal(response.status, 402);
  assert.equal(decoded(response, 'PAYMENT-REQUIRED').error, 'invalid_exact_evm_signature');
  await response.arrayBuffer();
}

async function statusOf(url: string, payment: string): Promise<number> {
  const response = await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}});
  await response.arrayBuffer();
  return response.status;
}

/**
 * Starts a facilitator that verifies signatures of contract wallets slowly, and counts how many it verifies at a time.
 */
async function startSlowForContracts() {
  let [now, most] = [0, 0];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/supported') {
        const kinds = [{x402Version: 2, scheme: 'exact', network: 'eip155:84532'}];
        response.end(JSON.stringify({kinds, extensions: [], signers: {}}));
        return;
      }
      const {paymentPayload, paymentRequirements} = (await json(request)) as {
        paymentPayload: {payload: {signature: string}};
        paymentRequirements: {network: string};
      };
      const isOfKey = paymentPayload.payload.signature.length === 132;
      if (!isOfKey) {
        most = Math.max(most, ++now);
        await sleep(200);
        now--;
      }
      const transaction = `0x${'ab'.repeat(32)}`;
      response.end(JSON.stringify({isValid: isOfKey, success: isOfKey, transaction, ...paymentRequirements}));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    most: () => most,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
