import assert from 'node:assert/strict';
import {test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {sqliteBackend} from '../ledger/backends.ts';
import {fixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {path, until} from './shop.ts';
import {startStandIn} from './stand-in.ts';

const TWO_DAYS = 2 * 24 * 3600;

for (const id of [undefined, 'pay_0123456789abcdef'])
  test(`a declined payment ${id ? 'with' : 'without'} an idempotency key is pruned after it expired, and cannot be sent again`, async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    await using backend = await sqliteBackend();
    const store = await backend.createStore();
    const ledger = await store.open();
    const gate = await startGate(site.root, facilitator.url, {ledger, reconciling: {everyMs: 20, lagMs: 0}});
    facilitator.settle = {refuse: 'insufficient_funds'};
    const challenge = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
    const extensions = id && {extensions: {'payment-identifier': {info: {required: false, id}}}};
    const payer = privateKeyToAccount(generatePrivateKey());
    const headers = {'PAYMENT-SIGNATURE': encoded(await forge(challenge, payer, {root: {...extensions}}))};
    assert.equal((await fetch(gate.url + path, {headers})).status, 402);
    assert.equal((await ledger.list({limit: 10}))[0]?.state, 'declined');

    await store.run(`UPDATE sales SET valid_before = valid_before - ${TWO_DAYS}`);
    await until(async () => ((await ledger.list({limit: 10})).length === 0 ? true : undefined));
    await gate.stop();

    facilitator.settle = 'good';
    const services = openServices({
      ledger,
      facilitator: new HttpFacilitator(facilitator.url),
      recover: recoverOnNode,
      keepAlive: () => undefined,
    });
    const clock = () => Date.now() + TWO_DAYS * 1000;
    const later = createGate({...(await openSite(site.root)), services: {...services, clock}});
    const answer = await later.request(path, {headers});
    assert.equal(answer.status, 402);
    assert.equal(decoded(answer, 'PAYMENT-REQUIRED').error, 'invalid_exact_evm_payload_authorization_valid_before');
    assert.equal(facilitator.submitted.length, 1);
    assert.deepEqual(await ledger.list({limit: 10}), []);
    await facilitator.stop();
    await site.remove();
  });
