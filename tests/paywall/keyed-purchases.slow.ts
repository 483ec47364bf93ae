import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {spawnGate} from './gate-process.ts';
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
});
