import assert from 'node:assert/strict';
import {test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {fixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {path} from './shop.ts';
import {startStandIn} from './stand-in.ts';

test('an embedder that does not report whether a document was sent counts as a host that does not know', async () => {
  const [site, facilitator, ledger] = [await fixtureSite(), await startStandIn(), await openSqlite(':memory:')];
  const open: Promise<unknown>[] = [];
  const services = openServices({
    ledger,
    facilitator: new HttpFacilitator(facilitator.url),
    recover: recoverOnNode,
    keepAlive: work => open.push(work),
  });
  const gate = createGate({...(await openSite(site.root)), services});
  const payer = privateKeyToAccount(generatePrivateKey());
  const buy = async () => {
    const payment = await paymentFor(decoded(await gate.request(path), 'PAYMENT-REQUIRED'), payer);
    const answer = await gate.request(path, {headers: {'PAYMENT-SIGNATURE': payment}});
    assert.equal(await answer.text(), site.files.get(path));
    await Promise.all(open);
  };
  await buy();
  const [sale] = await ledger.list({limit: 10});
  assert.equal(sale?.state, 'settled');
  assert.notEqual(sale.deliveredAt, null);
  // The document may not have been received, so it can be collected for five minutes.
  await buy();
  assert.equal(facilitator.submitted.length, 1);
  await ledger.close();
  await facilitator.stop();
  await site.remove();
});
