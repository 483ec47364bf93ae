import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startMiniflareGate, type MiniflareGate} from './miniflare-gate.ts';
import {until} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
/** More than a gate verifies at a time, in total and per payer. */
const [PAYERS, EACH] = [8, 12];

describe('buyers of a Worker', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: MiniflareGate;
  let url: string;
  before(async () => {
    site = await fixtureSite();
    facilitator = await startStandIn();
    gate = await startMiniflareGate(site, {
      FROZEN_FACILITATOR_URL: facilitator.url,
      FROZEN_MAX_VERIFICATIONS_PER_CLIENT: '2',
    });
    url = gate.url + path;
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await site.remove();
  });

  for (const step of ['verify', 'settle'] as const)
    test(`that hang up ${PAYERS * EACH} times during a step (${step}) keep no others from buying`, async () => {
      const payers = Array.from({length: PAYERS}, () => privateKeyToAccount(generatePrivateKey()));
      facilitator[step] = 1_500;
      const payments = await Promise.all(payers.flatMap(payer => Array.from({length: EACH}, () => signed(payer))));
      const {asked} = facilitator;
      const submitted = facilitator.submitted.length;
      const hungUp = await Promise.all(
        // If a limit is reached, the response arrives before the buyer hangs up.
        payments.map(payment =>
          send(payment, AbortSignal.timeout(700)).then(
            () => false,
            () => true,
          ),
        ),
      );
      assert.ok(hungUp.filter(Boolean).length >= PAYERS / 2, String(hungUp));
      assert.ok(facilitator.asked > asked);
      facilitator[step] = 'good';
      await sleep(2_000);

      const another = await send(await signed(privateKeyToAccount(generatePrivateKey())));
      assert.equal(another.status, 200);
      for (const payer of payers) {
        // A payer with an open payment gets the document soon.
        const answer = await until(async () => {
          const response = await send(await signed(payer));
          return response.status === 200 ? response : undefined;
        });
        assert.equal(await answer.text(), site.files.get(path));
      }
      // On Cloudflare a document that was sent can be collected for five minutes, so each payer was charged once.
      assert.equal(facilitator.submitted.length - submitted, PAYERS + 1);
      assert.equal(new Set(facilitator.submitted).size, facilitator.submitted.length);
    });

  test('are limited per client, by the address that Cloudflare sends', async () => {
    let release = (): void => undefined;
    facilitator.verify = new Promise(resolve => (release = resolve));
    const {asked} = facilitator;
    const pay = async (client: string) => {
      const payment = await signed(privateKeyToAccount(generatePrivateKey()));
      return (await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment, 'CF-Connecting-IP': client}})).status;
    };
    const bought = [pay('2001:db8::1'), pay('2001:db8::2')];
    await until(() => (facilitator.asked === asked + 2 ? true : undefined));
    assert.equal(await pay('2001:db8::3'), 503);
    bought.push(pay('2001:db8:0:1::1'));
    await until(() => (facilitator.asked === asked + 3 ? true : undefined));
    release();
    assert.deepEqual(await Promise.all(bought), [200, 200, 200]);
  });

  function send(payment: string, signal?: AbortSignal): Promise<Response> {
    return fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}, ...(signal && {signal})});
  }

  async function signed(buyer: PrivateKeyAccount): Promise<string> {
    return paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), buyer);
  }
});
