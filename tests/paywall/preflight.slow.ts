import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, describe, test} from 'node:test';
import type {Hex} from 'viem';
import {generatePrivateKey} from 'viem/accounts';
import {requirePreflight} from '../../paywall/preflight/preflight.ts';
import {openSetup} from '../../paywall/preflight/setup.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startChain, type LocalChain, usdc} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {compile} from '../contracts/solidity.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {refusedStart} from './refused-start.ts';

const testnet = 'eip155:84532';
/** Returns 1 for every call: a domain other than the one of x402, and a transfer that succeeds. */
const ANSWERS_ONE = '0x600160005260206000f3';
const REVERTS = '0x60006000fd';
/** The code of an externally owned account that has delegated to a contract. */
const DELEGATED = `0xef0100${'42'.repeat(20)}` as const;

interface Contracts {
  readonly token?: Hex;
  readonly payee?: Hex;
}

/** Contracts for the token and the payee, and the resulting warnings, or the error. */
const contracts: Readonly<Record<string, readonly [at: Contracts, expected: readonly RegExp[] | RegExp]>> = {
  'a right token': [{}, []],
  'a token without a contract': [
    {token: '0x'},
    /^token eip155:84532 does not have a contract at 0x036C\w+, the token of x402: see FROZEN_RPC_URL\n$/,
  ],
  'a token with another domain': [
    {token: ANSWERS_ONE},
    /^token eip155:84532 .* does not accept signatures for "USDC", version "2", which x402 requires\n$/,
  ],
  'a token that does not report its domain': [
    {token: REVERTS},
    [
      /^token: eip155:84532 has a token at 0x036C\w+ that does not report its domain, so it may not accept signatures for "USDC"/,
    ],
  ],
  'a token that reports the fields of its domain': [{token: await compile('other-tokens.sol', 'TellsDomain')}, []],
  'a token that reports a domain of another version': [
    {token: await compile('other-tokens.sol', 'TellsOtherDomain')},
    /does not accept signatures for "USDC", version "2", which x402 requires\n$/,
  ],
  'a payee that is a contract': [
    {token: await compile('other-tokens.sol', 'TellsDomain'), payee: ANSWERS_ONE},
    [new RegExp(`^payee: ${payTo} is a contract on ${testnet}: it must be able to transfer the money$`)],
  ],
  'a payee to which the token refuses transfers': [
    {token: await compile('other-tokens.sol', 'PaysNobody'), payee: ANSWERS_ONE},
    new RegExp(`^payee ${payTo} is a contract on ${testnet} to which the token refuses transfers\n$`),
  ],
  'a payee that has delegated to a contract': [{payee: DELEGATED}, []],
};
describe('a gate that starts with a node of the chain', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let site: FixtureSite;
  let code: Hex;

  before(async () => {
    // Not the shared chain, because the tests replace the token.
    chain = await startChain();
    facilitator = await startFacilitator(chain);
    site = await fixtureSite();
    code = (await chain.client.getCode({address: usdc})) ?? assert.fail();
  });
  afterEach(async () => {
    await chain.client.setCode({address: usdc, bytecode: code});
    await chain.client.setCode({address: payTo, bytecode: '0x'});
  });
  after(async () => {
    await site.remove();
    await facilitator.stop();
    await chain.stop();
  });

  for (const [what, [{token, payee}, expected]] of Object.entries(contracts))
    test(`${expected instanceof RegExp ? 'refuses' : expected.length > 0 ? 'warns of' : 'accepts'} ${what}`, async () => {
      if (token) await chain.client.setCode({address: usdc, bytecode: token});
      if (payee) await chain.client.setCode({address: payTo, bytecode: payee});
      if (expected instanceof RegExp) {
        const env = {FROZEN_FACILITATOR_URL: facilitator.url, FROZEN_RPC_URL: chain.rpcUrl};
        assert.match(await refusal(site.root, env), expected);
        return;
      }
      const warnings = await started();
      assert.equal(warnings.length, expected.length, warnings.join('\n'));
      for (const [at, says] of expected.entries()) assert.match(warnings[at] ?? '', says);
    });

  for (const [what, url, says] of [
    ['cannot be reached', () => 'http://127.0.0.1:4', /^node: 127\.0\.0\.1:4 gives no usable answer: .*ECONNREFUSED/],
    ['is not a node', () => facilitator.url, /^node: 127\.0\.0\.1:\d+ gives no usable answer: /],
  ] as const)
    test(`warns of a node that ${what}, without the key in its URL`, async () => {
      const [line = '', ...more] = await started(`${url()}/v2/SECRET`);
      assert.match(line, says);
      assert.ok(!line.includes('SECRET'));
      assert.deepEqual(more, []);
    });

  test('does not start as a settler if its node is not on every network of the rules, and needs no facilitator', async () => {
    const elsewhere = 'eip155:421614';
    const both = await fixtureSite({accepts: [testnet, elsewhere].map(network => ({network, pay_to: payTo}))});
    const FROZEN_SETTLER_KEY_FILE = join(both.root, 'settler.key');
    await writeFile(FROZEN_SETTLER_KEY_FILE, generatePrivateKey(), {mode: 0o600});
    const err = await refusal(both.root, {FROZEN_SETTLER_KEY_FILE, FROZEN_RPC_URL: chain.rpcUrl});
    const message = `does not have a node: FROZEN_RPC_URL is a node of ${testnet}, so this gate can settle only there`;
    assert.equal(err, `network ${elsewhere} ${message}\n`);
    await both.remove();
  });

  /** Returns the warnings of a gate that would start. */
  async function started(rpcUrl = chain.rpcUrl): Promise<string[]> {
    const {rules} = await openSite(site.root);
    const {setup} = await openSetup(rules, {facilitatorUrl: facilitator.url, rpcUrl, keys: {}});
    const warnings = (await requirePreflight(setup)).filter(({state}) => state === 'warning');
    return warnings.map(({kind, subject, message}) => `${kind}: ${subject} ${message}`);
  }
});

/** Returns the errors of a gate that does not start. */
async function refusal(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const {code, err} = await refusedStart(['--root', root], env);
  assert.equal(code, 1);
  return err;
}
