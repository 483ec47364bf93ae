import assert from 'node:assert/strict';
import {cp, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {builtSite} from '../paywall/built-site.ts';
import {startStandIn} from '../paywall/stand-in.ts';
import {buyer, newAccount, newFolder, path} from './stall.ts';

test('a document that was replaced after its response was lost is downloaded before the new one is bought', async () => {
  const facilitator = await startStandIn();
  const ledger = await openSqlite(':memory:');
  const site = await builtSite(facilitator.url);
  const {catalogue, files} = await site.build();
  const folder = await newFolder();
  const buying = {account: newAccount(), folder};

  const first = await startGate(site.root, facilitator.url, {ledger});
  const at =
    (url: string): typeof fetch =>
    (input, init) => {
      assert.ok(typeof input === 'string');
      return fetch(input.replace(catalogue.base_url, url), init);
    };
  const losing: typeof fetch = async (input, init) => {
    const answer = await at(first.url)(input, init);
    if (!new Headers(init?.headers).has('PAYMENT-SIGNATURE')) return answer;
    await answer.arrayBuffer();
    return at(first.url)(input);
  };
  await assert.rejects(buyer({...buying, fetch: losing}).buy(catalogue.base_url, 'softfail3'), /was refused/);
  await first.stop();

  const from = join(site.root, 'data/sources/deny-list');
  await cp(join(from, '2026-05-01'), join(from, '2026-06-01'), {recursive: true});
  await site.edit('sources/deny-list/2026-06-01/datapackage.json', descriptor => {
    descriptor['as_of'] = '2026-06-01T12:00:00.000Z';
  });
  await site.build();
  const second = await startGate(site.root, facilitator.url, {ledger});
  // A proxy may answer while the gate restarts.
  for (const status of [503, 404, 200]) {
    const failing: typeof fetch = async (input, init) =>
      new Headers(init?.headers).has('Snapshot-SHA256') ? new Response('', {status}) : at(second.url)(input, init);
    await assert.rejects(
      buyer({...buying, fetch: failing}).buy(catalogue.base_url, 'softfail3'),
      new RegExp(`answers ${status}.* Nothing was paid now`),
    );
  }
  // The first sign-in comes before the gate has recorded the delivery.
  let isEarly = true;
  const recordedLater: typeof fetch = (input, init) => {
    if (!isEarly || !new Headers(init?.headers).has('Snapshot-SHA256')) return at(second.url)(input, init);
    isEarly = false;
    return at(second.url)(input);
  };
  const again = buyer({...buying, fetch: recordedLater});
  const {kind} = await again.buy(catalogue.base_url, 'softfail3');
  assert.equal(kind, 'bought');
  const owned = (await again.owned()).map(({as_of, price}) => [as_of, price]);
  assert.deepEqual(owned, [
    ['2026-05-01T12:00:00.000Z', '$0.02'],
    ['2026-06-01T12:00:00.000Z', '$0.02'],
  ]);
  const [previous] = await again.owned();
  assert.equal(await readFile(join(previous?.folder ?? '', 'document.json'), 'utf8'), files.get(path));
  assert.equal(facilitator.submitted.length, 2);
  await second.stop();
  await facilitator.stop();
  await ledger.close();
  await site.remove();
  await rm(folder, {recursive: true});
});
