import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {describe, test} from 'node:test';
import fc from 'fast-check';
import type {PaymentRequirements} from '@x402/core/types';
import {concat, recoverAddress, serializeSignature, toHex, verifyTypedData} from 'viem';
import type {Address, Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Payment} from '../../paywall/payments/protocol/payment.ts';
import {isPaymentByKey, type Recover} from '../../paywall/payments/chain/signature.ts';
import {payTo} from './fixture-site.ts';
import {forge, messageOf, types, type Forgery} from './forge.ts';
import type {Challenge} from './hand-made.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const url = 'https://snapshots.example/api/v1/softfail3';
const asked = {
  scheme: 'exact',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amount: '20000',
  payTo,
  maxTimeoutSeconds: 300,
  extra: {name: 'USDC', version: '2'},
} as const satisfies PaymentRequirements;
const challenge: Challenge = {x402Version: 2, resource: {url}, accepts: [asked]};
const buyer = privateKeyToAccount(toHex(7n, {size: 32}));

/** On Workers, in JavaScript. */
const recoverOnWorkers: Recover = (hash, signature) => recoverAddress({hash, signature});

type Signed = Pick<Payment, 'payload'>;

describe('the signature of a payment is', () => {
  test('by its payer, in every form that USDC or a facilitator accepts', async () => {
    const {payload} = await claimOf();
    for (const v of ['00', '01', '1b', '1c']) {
      const claim = {payload: {...payload, signature: payload.signature.slice(0, -2) + v}};
      const isSame = Number(`0x${v}`) % 27 === Number(`0x${payload.signature.slice(-2)}`) % 27;
      assert.deepEqual(await bothSay(claim), isSame, v);
    }
    assert.equal(await bothSay({payload: {...payload, signature: upperCase(payload.signature)}}), true);
    const authorization = {...payload.authorization, from: upperCase(payload.authorization.from)};
    assert.equal(await bothSay({payload: {...payload, authorization}}), true);
  });

  const forgeries: Readonly<Record<string, Forgery>> = {
    'the payer': {tampered: {from: payTo}},
    'the payee': {tampered: {to: buyer.address}},
    'the amount': {tampered: {value: '1'}},
    'the time from which it holds': {tampered: {validAfter: '1'}},
    'the time until which it holds': {tampered: {validBefore: '1'}},
    'the nonce': {tampered: {nonce: toHex(1n, {size: 32})}},
    'the chain': {chainId: 8453},
    'a number beyond uint256': {tampered: {validBefore: '9'.repeat(78)}},
  };
  for (const [what, forgery] of Object.entries(forgeries))
    test(`invalid for another value of ${what}`, async () => {
      assert.equal(await bothSay(await claimOf(forgery)), false);
    });

  test('invalid for another name, version or token', async () => {
    const claim = await claimOf();
    const others = [{extra: {name: 'USD Coin', version: '2'}}, {extra: {name: 'USDC', version: '1'}}, {asset: payTo}];
    for (const other of others)
      assert.equal(
        await isPaymentByKey(paymentOf(claim, {...asked, ...other}), recoverOnNode),
        false,
        JSON.stringify(other),
      );
  });

  test('invalid with a high s, although the payer can be recovered from it', async () => {
    const {payload} = await claimOf();
    const [r, s, v] = parts(payload.signature);
    const signature = serializeSignature({r, s: toHex(ORDER - BigInt(s), {size: 32}), v: 55n - v});
    assert.equal(await bothSay({payload: {...payload, signature}}), false);
  });

  test('invalid if it is malformed', async () => {
    const {payload} = await claimOf();
    const [r, s] = parts(payload.signature);
    const zero = toHex(0n, {size: 32});
    const broken = [
      concat([zero, s, '0x1b']),
      concat([r, zero, '0x1b']),
      concat([zero, zero, '0x1b']),
      concat([toHex(ORDER, {size: 32}), s, '0x1b']),
      concat([toHex(2n ** 256n - 1n, {size: 32}), s, '0x1c']),
      ...['02', '1a', '1d', '25', 'ff'].map(last => payload.signature.slice(0, -2) + last),
    ];
    for (const signature of broken) assert.equal(await bothSay({payload: {...payload, signature}}), false);
  });

  test("not by the payer's key if it does not have 65 bytes", async () => {
    const {payload} = await claimOf();
    for (const signature of ['0xab', payload.signature.slice(0, -2), `${payload.signature}00`, `0x${'ab'.repeat(700)}`])
      assert.equal(await bothSay({payload: {...payload, signature}}), false);
  });

  test('recovered identically by libsecp256k1, the library of Workers and viem', async () => {
    const uint = fc.bigInt({min: 0n, max: 2n ** 256n - 1n}).map(String);
    const bytes32 = fc.uint8Array({minLength: 32, maxLength: 32}).map(bytes => toHex(bytes));
    const authorization = fc.record({value: uint, validAfter: uint, validBefore: uint, nonce: bytes32});
    const key = fc.bigInt({min: 1n, max: ORDER - 1n}).map(number => toHex(number, {size: 32}));
    const flipped = fc.option(fc.nat({max: 65 * 8 - 1}));
    await fc.assert(
      fc.asyncProperty(key, authorization, flipped, async (secret, fields, bit) => {
        const {payload} = await claimOf({authorization: fields}, privateKeyToAccount(secret));
        const signature = bit === null ? payload.signature : withFlipped(payload.signature, bit);
        const claim = {payload: {...payload, signature}};
        const verdict = await bothSay(claim);
        assert.equal(verdict, await isValidToViem(claim), signature);
        if (bit === null) assert.equal(verdict, true);
      }),
      {numRuns: 100},
    );
  });

  test('recovered identically from hundreds of random byte strings', async () => {
    const outcomes = {recovered: 0, none: 0};
    for (let index = 0; index < 500; index++) {
      const [digest, r, s] = ['digest', 'r', 's'].map(part => sha256(`${part} ${index}`)) as [Buffer, Buffer, Buffer];
      const signature = Uint8Array.from([...r, ...s, [0, 1, 27, 28][index % 4] ?? 0]);
      const [node, workers] = await Promise.all(
        [recoverOnNode, recoverOnWorkers].map(by => signerOf(by, digest, signature)),
      );
      assert.equal(node, workers);
      outcomes[node === undefined ? 'none' : 'recovered'] += 1;
    }
    assert.ok(outcomes.recovered > 200 && outcomes.none > 200, JSON.stringify(outcomes));
  });
});

async function claimOf(forgery: Forgery = {}, signer = buyer): Promise<Signed> {
  return (await forge(challenge, signer, forgery)) as unknown as Signed;
}

function paymentOf({payload}: Signed, requirements: PaymentRequirements = asked): Payment {
  return {key: '', id: null, payload, requirements};
}

async function bothSay(signed: Signed): Promise<boolean> {
  const [node, workers] = await Promise.all(
    [recoverOnNode, recoverOnWorkers].map(recover => isPaymentByKey(paymentOf(signed), recover)),
  );
  assert.equal(node, workers);
  return node ?? assert.fail();
}

function isValidToViem({payload: {signature, authorization}}: Signed): Promise<boolean> {
  return verifyTypedData({
    address: authorization.from as Address,
    domain: {...asked.extra, chainId: 84532, verifyingContract: asked.asset},
    types,
    primaryType: 'TransferWithAuthorization',
    message: messageOf(authorization),
    signature: signature as Hex,
  }).catch(() => false); // it throws if the signature is malformed
}

async function signerOf(recover: Recover, digest: Uint8Array, signature: Uint8Array): Promise<string | undefined> {
  try {
    return (await recover(digest, signature)).toLowerCase();
  } catch {
    return undefined;
  }
}

function parts(signature: string): [r: Hex, s: Hex, v: bigint] {
  return [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`, BigInt(`0x${signature.slice(130)}`)];
}

function withFlipped(signature: string, bit: number): string {
  return toHex(BigInt(signature) ^ (1n << BigInt(bit)), {size: 65});
}

function upperCase(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
