import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {LEAKS_AT_LEAST, tryLeaks} from './try-leaks.ts';

describe('unpaid requests to the gate on Node, over raw sockets', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: Listening;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startGate(site.root, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  for (const path of ['/api/v1/softfail3', '/api/v1/firstlastsame', '/api/v1/webhookbundle']) {
    test(`get no byte, length or entity tag of ${path}`, async () => {
      assert.ok((await tryLeaks(gate.url, site, path)) >= LEAKS_AT_LEAST);
    });
  }
});
