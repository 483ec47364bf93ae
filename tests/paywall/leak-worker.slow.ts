import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {LEAKS_AT_LEAST, tryLeaks} from './try-leaks.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

describe('unpaid requests to the gate in workerd, over raw sockets', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startWorkerGate(site, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  test('get no byte, length or entity tag of a paid document', async () => {
    assert.ok((await tryLeaks(gate.url, site, '/api/v1/softfail3', {runtimeRefuses: true})) >= LEAKS_AT_LEAST);
  });
});
