import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {encoded} from '../paywall/forge.ts';
import {altering, newAccount, openForAll, openStall, path, type Payment, type Stall} from './stall.ts';

describe('a buyer with a purchase that was cut off', () => {
  let stall: Stall;
  openForAll(opened => (stall = opened));

  test('continues with the same payment, and only with the wallet that signed it', async () => {
    const settled = stall.facilitator.submitted.length;
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'), /was refused: /);
    assert.deepEqual(await states(), ['payment open']);
    const otherAccount = newAccount();
    await assert.rejects(
      stall.buyer({account: otherAccount}).buy(stall.gate.url, 'softfail3'),
      new RegExp(`is already being bought by ${stall.account.address}`),
    );
    // The budget has been spent on it already.
    assert.equal((await stall.buyer({budget: '$0.02'}).buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
    assert.deepEqual(await states(), ['payment closed']);
  });

  test('waits as long as a refused authorization can be charged', async () => {
    stall.facilitator.verify = {refuse: 'insufficient_funds'};
    for (let run = 1; run <= 2; run++) {
      await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'), /was refused: insufficient_funds$/);
    }
    stall.facilitator.verify = 'good';
    assert.deepEqual(await states(), ['payment open']);
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
    assert.deepEqual(await states(), ['payment open', 'proof closed']);
  });

  test('signs at most three proofs for a document in a day', async () => {
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
    await change({header: encoded('{}'), validBefore: 1});
    stall.facilitator.verify = {refuse: 'invalid_exact_evm_payload_authorization_valid_before'};
    for (let run = 1; run <= 4; run++) await assert.rejects(stall.buyer().buy(stall.gate.url, 'softfail3'));
    stall.facilitator.verify = 'good';
    assert.deepEqual(await states(), ['payment open', 'proof closed', 'proof closed', 'proof closed']);
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

  test('does not pay again after three proofs without a document', async () => {
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
    const settled = stall.facilitator.submitted.length;
    const [payment] = await stall.payments();
    await change({sha256: '0'.repeat(64), validBefore: 1});
    const proof = {...payment, kind: 'proof', state: 'closed'};
    const nonces = ['1', '2', '3'].map(digit => `0x${digit.repeat(64)}`);
    const record = {payments: [...(await stall.payments()), ...nonces.map(nonce => ({...proof, nonce}))]};
    await writeFile(join(stall.folder, 'payments.json'), JSON.stringify(record));
    const refusing: typeof fetch = (input, init) =>
      new Headers(init?.headers).has('SIGN-IN-WITH-X')
        ? Promise.resolve(new Response('', {status: 402}))
        : fetch(input, init);
    await assert.rejects(stall.buyer({fetch: refusing}).buy(stall.gate.url, 'softfail3'), /is not delivered/);
    assert.equal(stall.facilitator.submitted.length, settled);
  });

  test('does not pay again after a proof that the site refused once it had expired', async () => {
    await assert.rejects(stall.buyer({fetch: hiding()}).buy(stall.gate.url, 'softfail3'));
    const settled = stall.facilitator.submitted.length;
    await change({sha256: '0'.repeat(64), validBefore: 1});
    let proofs = 0;
    const late: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      if (headers.has('SIGN-IN-WITH-X')) return Promise.resolve(new Response('', {status: 402}));
      if (!headers.has('PAYMENT-SIGNATURE')) return fetch(input, init);
      const isFirst = ++proofs === 1;
      return Promise.resolve(new Response('', {status: isFirst ? 503 : 402, headers: {'Retry-After': '6'}}));
    };
    await assert.rejects(
      stall.buyer({fetch: late}).buy(stall.gate.url, 'softfail3'),
      /The payment may have gone through$/,
    );
    assert.equal(proofs, 2);
    assert.equal(stall.facilitator.submitted.length, settled);
    assert.deepEqual(await states(), ['payment open', 'proof closed']);
  });

  async function states(): Promise<string[]> {
    return (await stall.payments()).map(({kind, state}) => `${kind} ${state}`);
  }

  /** Changes the first payment in the record. */
  async function change(members: Partial<Payment>): Promise<void> {
    const [first, ...more] = await stall.payments();
    await writeFile(join(stall.folder, 'payments.json'), JSON.stringify({payments: [{...first, ...members}, ...more]}));
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
  await using stall = await openStall({length: 4_000_000});
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
    (await stall.payments()).map(({kind, state}) => `${kind} ${state}`),
    ['payment closed', 'proof closed'],
  );
  assert.equal(stall.facilitator.submitted.length, 1);
});
