import assert from 'node:assert/strict';
import {rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {path} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

describe('a document that is', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: Listening;
  let document: string;
  let file: string;
  const troubles: string[] = [];

  before(async () => {
    [site, facilitator] = [await fixtureSite(), await startStandIn()];
    document = site.files.get(path) ?? assert.fail();
    file = join(site.root, 'public', path);
    gate = await startGate(site.root, facilitator.url, {onTrouble: trouble => troubles.push(trouble)});
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await site.remove();
  });

  const differs = /^\/api\/v1\/softfail3 is not sold, because .*build again/;
  for (const [how, damage, says] of [
    ['cut short', () => writeFile(file, document.slice(0, 40)), differs],
    ['changed', () => writeFile(file, document.replace('0.example', '1.example')), differs],
    ['missing', () => rename(file, `${file}.away`), /^\/api\/v1\/softfail3 is not sold, because it does not exist\. /],
  ] as const)
    test(`${how} is found before the settlement: nothing is charged, it is reported once, and it sells again`, async () => {
      const [settled, reported] = [facilitator.submitted.length, troubles.length];
      const buyer = privateKeyToAccount(generatePrivateKey());
      const payment = await paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer);
      const send = () => fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
      await damage();
      for (let attempt = 0; attempt < 2; attempt++) {
        const refusal = await send();
        assert.equal(refusal.status, 503);
        assert.equal(refusal.headers.get('Content-Type'), 'application/problem+json');
        assert.equal(refusal.headers.get('PAYMENT-RESPONSE'), null);
        assert.match(await refusal.text(), /This request charges nothing\./);
      }
      await writeFile(file, document);
      assert.equal(facilitator.submitted.length, settled);
      assert.equal(await (await send()).text(), document);
      assert.equal(facilitator.submitted.length, settled + 1);
      assert.equal(troubles.length, reported + 1, troubles.join('\n'));
      assert.match(troubles.at(-1) ?? '', says);
    });

  test('missing after its payment was sent to the facilitator is said to be paid, and is delivered when it is there again', async () => {
    const settled = facilitator.submitted.length;
    const buyer = privateKeyToAccount(generatePrivateKey());
    const terms = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
    // Without an idempotency key, a new payment collects what the former one paid for.
    const send = async () => fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': await paymentFor(terms, buyer)}});
    facilitator.settle = 'drop';
    assert.equal((await send()).status, 503);
    facilitator.settle = 'good';
    await rename(file, `${file}.away`);
    const answer = await send();
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /This document is paid for, .* not charged twice\./);
    assert.equal(facilitator.submitted.length, settled + 2);
    await rename(`${file}.away`, file);
    assert.equal(await (await send()).text(), document);
    assert.equal(facilitator.submitted.length, settled + 2);
  });
});
