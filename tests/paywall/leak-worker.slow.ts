import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {LEAKS_AT_LEAST, tryLeaks} from './try-leaks.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

describe('unpaid requests to the gate in workerd, over raw sockets', () => {
  let site: FixtureSite;
  let chain: Chain;
  let facilitator: Listening;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
  });
  // One a path: what the local runtime chokes on in one table may keep the next one waiting.
  beforeEach(async () => {
    gate = await startWorkerGate(site, facilitator.url);
  });
  afterEach(() => gate.stop());
  after(async () => {
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  for (const path of ['/api/v1/softfail3', '/api/v1/firstlastsame', '/api/v1/webhookbundle']) {
    test(`none gets a byte, a length or an entity tag of ${path}`, async () => {
      assert.ok((await tryLeaks(gate.url, site, path, {runtimeRefuses: true})) >= LEAKS_AT_LEAST);
    });
  }
});
