import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  verifyOfferSignatureJWS,
  verifyReceiptSignatureJWS,
  type JWSSignedOffer,
  type JWSSignedReceipt,
} from '@x402/extensions/offer-receipt';
import type {PaymentRequired} from '@x402/core/types';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {decoded, paymentFor} from './hand-made.ts';
import {path} from './shop.ts';
import {signedSite, type SignedSite} from './signed-site.ts';
import {startStandIn, type StandIn} from './stand-in.ts';
import {startWorkerGate} from './worker-gate.ts';

describe('a Worker with the key of its site', () => {
  let site: SignedSite;
  let facilitator: StandIn;

  before(async () => {
    [site, facilitator] = [await signedSite(), await startStandIn()];
  });
  after(async () => {
    await facilitator.stop();
    await site.remove();
  });

  test('signs offers and receipts as the gate on Node does, also for many concurrent requests', async () => {
    const secrets = {FROZEN_SIGNING_KEY: JSON.stringify(site.key)};
    const gate = await startWorkerGate(site, facilitator.url, undefined, {secrets});
    const key = {kty: 'OKP', crv: 'Ed25519', x: site.key.x, alg: 'EdDSA'};
    try {
      const asked = await Promise.all(Array.from({length: 20}, () => fetch(gate.url + path)));
      for (const answer of asked) {
        const required = (await answer.json()) as PaymentRequired;
        const [offer] = extractOffersFromPaymentRequired(required);
        const {amount} = await verifyOfferSignatureJWS(offer as JWSSignedOffer, key);
        assert.equal(amount, '20000');
      }
      const buyer = privateKeyToAccount(generatePrivateKey());
      const [first = assert.fail()] = asked;
      const signature = await paymentFor(decoded(first, 'PAYMENT-REQUIRED'), buyer);
      const answer = await fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': signature}});
      assert.equal(await answer.text(), site.files.get(path));
      const receipt = extractReceiptFromResponse(answer) as JWSSignedReceipt;
      const {payer, transaction} = await verifyReceiptSignatureJWS(receipt, key);
      assert.deepEqual([payer, transaction], [buyer.address.toLowerCase(), `0x${'ab'.repeat(32)}`]);
    } finally {
      await gate.stop();
    }
  });
});
