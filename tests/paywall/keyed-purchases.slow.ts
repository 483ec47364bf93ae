import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {runScript} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {spawnGate, type GateProcess} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {curveKey, edwardsKey, startKeyedFacilitator} from './keyed-facilitator.ts';
import {buy, kill, newBuyer, path} from './shop.ts';
import {transfersBetween} from './transfers.ts';
import {startWorkerGate} from './worker-gate.ts';

describe('purchases on a real chain, through a facilitator that requires a key,', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let site: FixtureSite;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    site = await fixtureSite();
  });
  after(async () => {
    await site.remove();
    await facilitator.stop();
    await chain.stop();
  });

  test('succeed with an Ed25519 key and the gate as a process', async () => {
    const key = edwardsKey();
    await using keyed = await startKeyedFacilitator(facilitator.url, key);
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: keyed.url, ...key.env});
    const url = await gate.url;
    const buyer = await newBuyer(chain);
    assert.equal((await buy(url + path, buyer)).text, site.files.get(path));
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    assert.deepEqual(keyed.asked, ['GET /supported ok', 'POST /verify ok', 'POST /settle ok']);
    await kill(gate);
    assert.equal(gate.written.err, `Listening on ${url}\n`);
  });

  test('succeed with an EC key in SEC 1 and the gate in workerd', async () => {
    const key = curveKey('sec1');
    await using keyed = await startKeyedFacilitator(facilitator.url, key);
    const gate = await startWorkerGate(site, keyed.url, undefined, {secrets: key.env});
    const buyer = await newBuyer(chain);
    assert.equal((await buy(gate.url + path, buyer)).text, site.files.get(path));
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    assert.deepEqual(keyed.asked, ['POST /verify ok', 'POST /settle ok']);
    await gate.stop();
  });

  test('get a 503 and are not charged with a key that it refuses, which is reported once', async () => {
    await using keyed = await startKeyedFacilitator(facilitator.url, edwardsKey());
    const {env} = edwardsKey();
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: keyed.url, ...env});
    const [first, second] = [await pay(gate), await pay(gate)];
    assert.deepEqual([first.status, second.status], [503, 503]);
    assert.equal(await transfersBetween(chain, first.payer, payTo), 0);
    await kill(gate);
    const {host} = new URL(keyed.url);
    const remedy = 'it does not accept the key: see CDP_API_KEY_ID, CDP_API_KEY_SECRET and the clock of this machine';
    assert.deepEqual(gate.written.err.trimEnd().split('\n'), [
      `facilitator: ${host} answers GET /supported with status 401: ${remedy}`,
      `Listening on ${await gate.url}`,
      `The facilitator ${host} did not verify a payment: it answers 401: ${remedy}`,
    ]);
    assertSecret(gate.written, env.CDP_API_KEY_SECRET);
  });

  test('get a 503 and are not charged if the key is revoked before the settlement, and succeed with the next key', async () => {
    const key = edwardsKey();
    await using keyed = await startKeyedFacilitator(facilitator.url, key);
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: keyed.url, ...key.env});
    keyed.refuses = '/settle';
    const {status, payer, account} = await pay(gate);
    assert.equal(status, 503);
    assert.equal(await transfersBetween(chain, payer, payTo), 0);
    keyed.refuses = '';
    assert.equal((await buy((await gate.url) + path, account)).text, site.files.get(path));
    assert.equal(await transfersBetween(chain, payer, payTo), 1);
    await kill(gate);
    assert.match(gate.written.err, /did not settle a payment: it answers 403: it does not accept the key: see CDP_/);
  });

  test('get a 503 in workerd with half a key, which the response does not show', async () => {
    const {env} = edwardsKey();
    const gate = await startWorkerGate(site, facilitator.url, undefined, {
      secrets: {CDP_API_KEY_SECRET: env.CDP_API_KEY_SECRET},
    });
    const response = await fetch(gate.url + path);
    assert.equal(response.status, 503);
    assert.ok(!(await response.text()).includes(env.CDP_API_KEY_SECRET));
    await gate.stop();
  });

  async function pay(gate: GateProcess) {
    const [url, account] = [await gate.url, await newBuyer(chain)];
    const payment = await paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), account);
    const {status} = await fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
    return {status, payer: account.address, account};
  }
});

describe('the gate', () => {
  test('refuses malformed keys and keys for another facilitator, in a line that does not show them', async () => {
    const site = await fixtureSite();
    const {env} = edwardsKey();
    const {CDP_API_KEY_ID, CDP_API_KEY_SECRET} = env;
    for (const [keys, says] of [
      [{CDP_API_KEY_ID}, /^CDP_API_KEY_ID is set without/],
      [{CDP_API_KEY_ID, CDP_API_KEY_SECRET: CDP_API_KEY_SECRET.slice(4)}, /^CDP_API_KEY_SECRET is not a key/],
      [env, /^CDP_API_KEY_ID and CDP_API_KEY_SECRET are only for https:\/\/api\.cdp\.coinbase\.com,/],
      [
        {FROZEN_FACILITATOR_TOKEN: CDP_API_KEY_SECRET},
        /^FROZEN_FACILITATOR_TOKEN is set without FROZEN_FACILITATOR_URL/,
      ],
    ] as const) {
      const {code, out, err} = await runScript('start', ['--root', site.root], keys);
      assert.equal(code, 2);
      assert.match(err, says);
      assert.match(err, /^[^\n]+\n$/);
      assertSecret({out, err}, CDP_API_KEY_SECRET.slice(4));
    }
    await site.remove();
  });
});

function assertSecret({out, err}: GateProcess['written'], secret: string): void {
  for (const text of [out, err]) assert.ok(!text.includes(secret.slice(0, 12)));
}
