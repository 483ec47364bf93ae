import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {createSIWxPayload, encodeSIWxHeader} from '@x402/extensions/sign-in-with-x';
import {privateKeyToAccount} from 'viem/accounts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {signInTerms} from '../../paywall/payments/protocol/sign-in-terms.ts';
import {isSignInByKey, readSignIn, signInFault, type SignIn} from '../../paywall/payments/sales/sign-in.ts';
import {USED_SIGN_IN} from '../../paywall/payments/retry.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import {challengeOf} from './sign-in.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const url = 'https://snapshots.example/api/v1/a';
const networks = ['eip155:84532', 'eip155:8453'];
const offerAt = (url: string) =>
  ({
    ...{url, requirements: networks.map(network => ({network})), signIn: signInTerms(url, networks)},
  }) as unknown as Offer; // other members are not read
const offer = offerAt(url);
const nonce = '0123456789abcdef'.repeat(2);
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

type Changes = Readonly<Record<string, string | undefined>>;

/** The header of a sign-in, with changes before and after it is signed. */
async function headerOf(info: Changes = {}, payload: Changes = {}): Promise<string> {
  const signed = await createSIWxPayload(challengeOf(offer, info), account, url);
  return encodeSIWxHeader({...signed, ...payload});
}

async function read(info?: Changes, payload?: Changes): Promise<SignIn> {
  const signIn = await readSignIn(await headerOf(info, payload), offer);
  if ('reason' in signIn) throw new Error(signIn.reason);
  return signIn;
}

test('a sign-in has the payer in lower case, its network and its nonce, and the payer signed it', async () => {
  for (const chainId of networks) {
    const signIn = await read({chainId});
    assert.deepEqual([signIn.payer, signIn.network, signIn.nonce], [account.address.toLowerCase(), chainId, nonce]);
    assert.equal(signIn.signed.address, account.address);
    assert.equal(await isSignInByKey(signIn, recoverOnNode), true);
  }
});

for (const host of [
  'a.b.example:8443',
  'data.xn--p1ai',
  'gate:8402',
  'my_host.example',
  '127.0.0.1:8402',
  '[::1]:8402',
])
  test(`the payer's key signs in at ${host}`, async () => {
    const there = offerAt(`http://${host}/api/v1/a`);
    const signed = await createSIWxPayload(challengeOf(there), account, there.url);
    const signIn = await readSignIn(encodeSIWxHeader(signed), there);
    assert(!('reason' in signIn), JSON.stringify(signIn));
    assert.equal(await isSignInByKey(signIn, recoverOnNode), true);
  });

test('a sign-in is valid as long as a challenge, also if the clock of the challenge is behind', async () => {
  await read({issuedAt: ago(305)});
  await assert.rejects(read({issuedAt: ago(311)}), /invalid_siwx_issued_at_too_old/);
});

for (const [what, payload] of [
  ['nonce', {nonce: 'f'.repeat(32)}],
  ['time', {issuedAt: ago(11)}],
  ['end', {expirationTime: ago(-301)}],
  ['network', {chainId: 'eip155:8453'}],
  ['address', {address: `0x${'ab'.repeat(20)}`}],
] as const)
  test(`a sign-in with another ${what} than was signed is not by the payer's key`, async () => {
    assert.equal(await isSignInByKey(await read({}, payload), recoverOnNode), false);
  });

const refusals: readonly [what: string, info: Changes, payload: Changes, reason: string][] = [
  ['another document', {}, {uri: 'https://snapshots.example/api/v1/b'}, 'invalid_siwx_uri_mismatch'],
  ['another site', {}, {domain: 'other.example'}, 'invalid_siwx_domain_mismatch'],
  ['another network', {}, {chainId: 'eip155:1'}, 'invalid_siwx_unsupported_chain'],
  ['a signature that is not hex', {}, {signature: '0xzz'}, 'invalid_siwx_payload'],
  ['a short nonce', {}, {nonce: 'a'.repeat(31)}, 'invalid_siwx_nonce'],
  ['a long nonce', {}, {nonce: 'a'.repeat(33)}, 'invalid_siwx_nonce'],
  ['a nonce of other characters', {}, {nonce: 'g'.repeat(32)}, 'invalid_siwx_nonce'],
  ['an invalid address', {}, {address: '0x1'}, 'invalid_siwx_payload'],
  ['no end', {}, {expirationTime: undefined}, 'invalid_siwx_payload'],
];

describe('a sign-in is refused with', () => {
  for (const [what, info, payload, reason] of refusals)
    test(what, async () => {
      assert.deepEqual(await readSignIn(await headerOf(info, payload), offer), {reason});
    });

  test('no header', async () => {
    assert.deepEqual(await readSignIn('!', offer), {reason: 'invalid_siwx_payload'});
  });
});

describe('a sign-in proves the payer', () => {
  const KEY = `0x${'1'.repeat(130)}`;
  const LONG = `0x${'1'.repeat(132)}`;
  const cases: readonly [
    what: string,
    world: {
      readonly isByKey?: true;
      readonly signature?: string;
      readonly isSigned?: boolean | 'no node' | 'no answer';
    },
    fault: string | undefined,
  ][] = [
    ['by its key', {isByKey: true}, undefined],
    ['by its contract', {isSigned: true}, undefined],
    ['not by another contract', {isSigned: false}, 'invalid_siwx_signature'],
    ['not by another key', {signature: KEY}, 'invalid_siwx_signature'],
    ['not by a contract without a node', {signature: LONG}, 'siwx_contract_wallet_not_supported'],
    [
      'not by a contract on another network than that of the node',
      {signature: LONG, isSigned: 'no node'},
      'siwx_contract_wallet_not_supported',
    ],
    ['not by another key on such a network', {signature: KEY, isSigned: 'no node'}, 'invalid_siwx_signature'],
    ['not without an answer of the node', {isSigned: 'no answer'}, 'the node does not answer'],
  ];
  for (const [what, {isByKey = false, signature = KEY, isSigned}, fault] of cases)
    test(what, async () => {
      const signIn = {payer: '0x1', network: networks[0], nonce, signed: {address: '0x1', signature, hash: '0x2'}};
      const used: unknown[][] = [];
      let isFirst = true;
      const services = {
        chain: isSigned !== undefined && {
          isSigned(...asked: unknown[]) {
            assert.deepEqual(asked, [networks[0], signIn.signed]);
            return Promise.resolve(isSigned === 'no answer' ? undefined : isSigned);
          },
        },
        ledger: {
          signIn(...asked: unknown[]) {
            used.push(asked);
            return Promise.resolve(isFirst);
          },
        },
      } as unknown as PaymentServices; // other members are not used
      const faultNow = () =>
        signInFault(signIn as SignIn, isByKey, services).catch((error: unknown) => (error as Error).message);
      const found = await faultNow();
      assert.equal(typeof found === 'string' && isSigned === 'no answer' ? found.slice(0, 24) : found, fault);
      assert.deepEqual(used, fault === undefined ? [['0x1', nonce]] : []);
      isFirst = false;
      if (fault === undefined) assert.equal(await faultNow(), USED_SIGN_IN);
    });
});
