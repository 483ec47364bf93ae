import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import type {Entry} from '../../shared/shapes.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {sharedChain} from '../shared-chain.ts';
import {canary, type FixtureSite} from './fixture-site.ts';
import {LEAKS_AT_LEAST, tryLeaks} from './try-leaks.ts';

const PATHS = ['/api/v1/softfail3-2', '/api/v1/softfail3.parquet'];

describe('parts and formats, through the gate on Node', () => {
  let site: SiteFixture;
  let entry: Entry;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: Listening;

  before(async () => {
    site = await emptySite();
    const formats = ['json', 'csv', 'parquet'];
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, examples: 0, parts: 20, formats});
    const rows = Array.from({length: 40}, (_, index) => `https://${index}.example/${canary},soft_fail\n`);
    const files = {'deny-list.csv': `url,class\n${rows.join('')}`};
    await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA});
    assert.equal((await site.build()).err, '');
    const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as {products: Entry[]};
    entry = products[0] ?? assert.fail();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startGate(site.root, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site[Symbol.asyncDispose]();
  });

  for (const path of PATHS)
    test(`unpaid requests get no byte, length or entity tag of ${path}`, async () => {
      const sold = [entry.paid, ...(entry.editions ?? [])];
      const files = new Map(sold.map(({url, bytes}) => [new URL(url).pathname, 'x'.repeat(bytes)]));
      const known: Pick<FixtureSite, 'paidPaths' | 'files'> = {paidPaths: [...files.keys()], files};
      assert.ok((await tryLeaks(gate.url, known as FixtureSite, path)) >= LEAKS_AT_LEAST);
    });
});
