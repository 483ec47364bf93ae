import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {InputError} from '../../shared/fault.ts';
import {encoded} from '../paywall/forge.ts';
import {altering, newAccount, openForAll, openStall, path, type Payment, type Stall} from './stall.ts';

const requirements = {
  ...{
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '1',
    asset: '0x',
    payTo: '0x',
    maxTimeoutSeconds: 300,
    extra: {},
  },
};

/** Returns a 402 whose reason is about the end of an authorization. */
function refusedAs(error: string) {
  const resource = {url: 'https://snapshots.example'};
  return {
    status: 402,
    headers: {'PAYMENT-REQUIRED': encoded({x402Version: 2, error, resource, accepts: [requirements]})},
  };
}

/** A site that settles every payment and denies it. */
const denying: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  if (headers.has('SIGN-IN-WITH-X')) return new Response('', {status: 402});
  const payment = headers.get('PAYMENT-SIGNATURE');
  const answer = await fetch(input, init);
  if (payment === null) return answer;
  const {payload} = JSON.parse(Buffer.from(payment, 'base64').toString()) as {
    payload: {authorization: {validAfter: string; validBefore: string}};
  };
  const isProof = payload.authorization.validAfter === payload.authorization.validBefore;
  return new Response('', refusedAs(`invalid_exact_evm_payload_authorization_valid_${isProof ? 'after' : 'before'}`));
};

describe('a buyer with a purchase that was cut off', () => {
  let stall: Stall;
  openForAll(opened => (stall = opened));

  test('continues with the same payment, and only with the wallet that signed it', async () => {
    const settled = stall.facilitator.submitted.length;
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'), /was refused: /);
    assert.deepEqual(await states(), ['open']);
    const otherAccount = newAccount();
    await assert.rejects(
      stall.buyer({account: otherAccount}).buy(stall.gate.url, 'softfail3'),
      new RegExp(`is already being bought by ${stall.account.address}`),
    );
    // The budget has been spent on it already.
    assert.equal((await stall.buyer({budget: '$0.02'}).buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
    assert.deepEqual(await states(), ['closed']);
  });

  test('waits as long as a refused authorization can be charged', async () => {
    stall.facilitator.verify = {refuse: 'insufficient_funds'};
    for (let run = 1; run <= 2; run++) {
      await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), (error: unknown) => {
        assert(error instanceof InputError);
        assert.match(error.message, /was refused: insufficient_funds$/);
        const wallet = `Send USDC on Base Sepolia (test money) to the wallet ${stall.account.address}, and run`;
        return error.faults[0]?.fix?.startsWith(wallet) === true;
      });
    }
    stall.facilitator.verify = 'good';
    assert.deepEqual(await states(), ['open']);
  });

  test('reports a response without payment requirements to a payment that has arrived', async () => {
    const settled = stall.facilitator.submitted.length;
    const other = altering((at, answer) =>
      at === path && answer.status === 200 ? new Response('', {status: 402}) : answer,
    );
    await assert.rejects(stall.buyer({fetch: other}).buy(stall.gate.url, 'softfail3'), /was refused: no reason$/);
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  });

  test('requires a node of the chain if only a node can show whether it has paid', async () => {
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
    const settled = stall.facilitator.submitted.length;
    await change({header: encoded('{}'), validBefore: 1});
    // For the gate, the document was delivered, so a proof collects nothing and costs nothing.
    stall.facilitator.verify = {refuse: 'invalid_exact_evm_payload_authorization_valid_before'};
    await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), /it is not known whether the authorization/);
    stall.facilitator.verify = 'good';
    assert.equal(stall.facilitator.submitted.length, settled);
    assert.deepEqual(await states(), ['open']);
  });

  test('pays again if the gate never received an expired payment', async () => {
    const dropped: typeof fetch = input => fetch(input); // without the payment
    await assert.rejects(
      stall.buyer({fetch: dropped}).buy(stall.gate.url, 'softfail3'),
      /was refused: Payment required/,
    );
    const settled = stall.facilitator.submitted.length;
    const [payment] = await stall.payments();
    const old = JSON.parse(Buffer.from(payment?.header ?? '', 'base64').toString()) as {
      payload: {authorization: {validBefore: string}};
    };
    old.payload.authorization.validBefore = '1';
    await change({header: encoded(old), validBefore: 1});
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  });

  test('pays a site that denies its payments only once more, also on later days', async () => {
    const settled = stall.facilitator.submitted.length;
    const buy = () => stall.buyer({fetch: denying}).buy(stall.gate.url, 'softfail3');
    const earlier = {validBefore: 1, signedAt: '2026-01-01T00:00:00.000Z'};
    await assert.rejects(buy(), /was refused/);
    await change(earlier);
    await assert.rejects(buy(), /was refused/);
    await change(earlier, 1);
    await assert.rejects(buy(), /it is not known whether the authorization/);
    assert.deepEqual(await states(), ['closed', 'open']);
    assert.equal(stall.facilitator.submitted.length, settled + 2);
  });

  test('does not pay again if the gate sent a wrong document and later denies the payment', async () => {
    const settled = stall.facilitator.submitted.length;
    const wrong = altering((at, answer) =>
      at === path && answer.status === 200 ? new Response('{"rows": 7}', {headers: answer.headers}) : answer,
    );
    await assert.rejects(stall.buyer({fetch: wrong}).buy(stall.gate.url, 'softfail3'), /It is not paid again/);
    await change({validBefore: 1});
    const failed = stall.buyer({fetch: denying}).buy(stall.gate.url, 'softfail3');
    await assert.rejects(failed, /it is not known whether the authorization/);
    assert.deepEqual(await states(), ['aside']);
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  });

  test('says that the document was replaced while the payment can still be charged', async () => {
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
    await change({sha256: '0'.repeat(64)});
    const failed = stall.buyer({fetch: denying}).buy(stall.gate.url, 'softfail3');
    await assert.rejects(
      failed,
      /softfail3 was replaced after its payment was interrupted\. The payment may have gone through$/,
    );
    assert.deepEqual(await states(), ['open']);
  });

  for (const [what, refusal] of [
    ['that was expired by the clock of the site', refusedAs('invalid_exact_evm_payload_authorization_valid_before')],
    [
      'that expires too late by the clock of the site',
      refusedAs('invalid_exact_evm_payload_authorization_valid_before_too_late'),
    ],
    ['for a document that has changed', refusedAs('document_changed')],
    ['for a price that has changed', refusedAs('No matching payment requirements')],
    ['that the site did not answer', {status: 503}],
    ['that a proxy refused', {status: 403}],
  ] as const)
    test(`does not pay again after a proof ${what}`, async () => {
      await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
      const settled = stall.facilitator.submitted.length;
      await change({sha256: '0'.repeat(64), validBefore: 1});
      let proofs = 0;
      const refusing: typeof fetch = (input, init) => {
        const headers = new Headers(init?.headers);
        if (headers.has('SIGN-IN-WITH-X')) return Promise.resolve(new Response('', {status: 402}));
        if (!headers.has('PAYMENT-SIGNATURE')) return fetch(input, init);
        proofs++;
        return Promise.resolve(new Response('', refusal));
      };
      await assert.rejects(
        stall.buyer({fetch: refusing}).buy(stall.gate.url, 'softfail3'),
        /The payment may have gone through$/,
      );
      assert.ok(proofs > 0);
      assert.equal(stall.facilitator.submitted.length, settled);
      assert.deepEqual(await states(), ['open']);
    });

  async function states(): Promise<string[]> {
    return (await stall.payments()).map(({state}) => state);
  }

  /** Changes a payment in the record, by default the first. */
  async function change(members: Partial<Payment>, which = 0): Promise<void> {
    const payments = (await stall.payments()).map((one, at) => (at === which ? {...one, ...members} : one));
    await writeFile(join(stall.folder, 'payments.json'), JSON.stringify({payments}));
  }

  /** Hides the response to a payment that has arrived, like an attacker between buyer and gate. */
  function hiding(): typeof fetch {
    return altering(async (at, answer) => {
      if (at !== path || answer.status !== 200) return answer;
      await answer.arrayBuffer();
      return fetch(stall.gate.url + path);
    });
  }
});

test('a proof of the payer collects a paid document, and is not charged', async () => {
  await using stall = await openStall({length: 16_000_000});
  const cut = altering(async (at, answer) => {
    if (at !== path || answer.status !== 200) return answer;
    await answer.body?.cancel();
    return fetch(stall.gate.url + path);
  });
  await assert.rejects(stall.buyer({fetch: cut}).buy(stall.gate.url, 'softfail3'), /was refused/);
  const [payment] = await stall.payments();
  const over = {...payment, header: encoded('{}'), validBefore: 1};
  await writeFile(join(stall.folder, 'payments.json'), JSON.stringify({payments: [over]}));
  const bought = await stall.buyer().buy(stall.gate.url, 'softfail3');
  assert.equal(bought.kind, 'bought');
  assert.deepEqual(
    (await stall.payments()).map(({state}) => state),
    ['closed'],
  );
  assert.equal(stall.facilitator.submitted.length, 1);
});
