import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {Hono} from 'hono';
import type {Hex} from 'viem';
import {generatePrivateKey} from 'viem/accounts';
import {requirePreflight} from '../../paywall/preflight/preflight.ts';
import {openSetup} from '../../paywall/preflight/setup.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startChain, type LocalChain, usdc} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {compile} from '../contracts/solidity.ts';
import {runScript} from '../scripts/script-run.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {spawnGate} from './gate-process.ts';
import {kill} from './shop.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const testnet = 'eip155:84532';
/** Returns 1 for every call: a domain other than the one of x402, and a transfer that succeeds. */
const ANSWERS_ONE = '0x600160005260206000f3';
const REVERTS = '0x60006000fd';
/** The code of an externally owned account that has delegated to a contract. */
const DELEGATED = `0xef0100${'42'.repeat(20)}` as const;

describe('a gate that starts with a node of the chain', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let site: FixtureSite;
  let token: Hex;

  before(async () => {
    // Not the shared chain, because the tests replace the token.
    chain = await startChain();
    facilitator = await startFacilitator(chain);
    site = await fixtureSite();
    token = (await chain.client.getCode({address: usdc})) ?? assert.fail();
  });
  afterEach(async () => {
    await chain.client.setCode({address: usdc, bytecode: token});
    await chain.client.setCode({address: payTo, bytecode: '0x'});
  });
  after(async () => {
    await site.remove();
    await facilitator.stop();
    await chain.stop();
  });

  test('prints no warning if token, payee, facilitator and clock are right', async () => {
    const running = spawnGate(['--root', site.root], {
      FROZEN_FACILITATOR_URL: facilitator.url,
      FROZEN_RPC_URL: chain.rpcUrl,
    });
    const url = await running.url;
    await kill(running);
    assert.equal(running.written.err, `Listening on ${url}\n`);
  });

  test('does not start if the token has no contract', async () => {
    await chain.client.setCode({address: usdc, bytecode: '0x'});
    assert.match(
      await refused(),
      /^token eip155:84532 does not have a contract at 0x036C\w+, the token of x402: see FROZEN_RPC_URL\n$/,
    );
  });

  test('does not start if the token has another domain', async () => {
    await chain.client.setCode({address: usdc, bytecode: ANSWERS_ONE});
    assert.match(
      await refused(),
      /^token eip155:84532 .* does not accept signatures for "USDC", version "2", which x402 requires\n$/,
    );
  });

  test('warns of a token that does not report its domain', async () => {
    await chain.client.setCode({address: usdc, bytecode: REVERTS});
    const [line = '', ...more] = await started();
    assert.match(
      line,
      /^token: eip155:84532 has a token at 0x036C\w+ that does not report its domain, so it may not accept signatures for "USDC"/,
    );
    assert.deepEqual(more, []);
  });

  test('accepts a token that reports the fields of its domain', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsDomain')});
    assert.deepEqual(await started(), []);
  });

  test('does not start if the domain that the token reports has another version', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsOtherDomain')});
    assert.match(await refused(), /does not accept signatures for "USDC", version "2", which x402 requires\n$/);
  });

  test('warns of a payee that is a contract', async () => {
    await chain.client.setCode({address: payTo, bytecode: ANSWERS_ONE});
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsDomain')});
    assert.deepEqual(await started(), [
      `payee: ${payTo} is a contract on ${testnet}: it must be able to transfer the money`,
    ]);
  });

  test('does not start if the token refuses transfers to the contract', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'PaysNobody')});
    await chain.client.setCode({address: payTo, bytecode: ANSWERS_ONE});
    assert.equal(await refused(), `payee ${payTo} is a contract on ${testnet} to which the token refuses transfers\n`);
  });

  test('accepts a payee that has delegated to a contract', async () => {
    await chain.client.setCode({address: payTo, bytecode: DELEGATED});
    assert.deepEqual(await started(), []);
  });

  test('warns if the node cannot be reached, without the key in its URL', async () => {
    const [line = '', ...more] = await started('http://127.0.0.1:4/v2/SECRET');
    assert.match(line, /^node: 127\.0\.0\.1:4 gives no usable answer: .*ECONNREFUSED/);
    assert.ok(!line.includes('SECRET'));
    assert.deepEqual(more, []);
  });

  test('warns if the node answers something else, without the key in its URL', async () => {
    const [line = '', ...more] = await started(`${facilitator.url}/v2/SECRET`);
    assert.match(line, /^node: 127\.0\.0\.1:\d+ gives no usable answer: /);
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

  function refused(): Promise<string> {
    return refusal(site.root, {FROZEN_FACILITATOR_URL: facilitator.url, FROZEN_RPC_URL: chain.rpcUrl});
  }
});

describe('a gate that starts', () => {
  let standIn: StandIn;

  beforeEach(async () => (standIn = await startStandIn()));
  afterEach(() => standIn.stop());

  test('warns after seconds if the facilitator does not answer, and listens', async () => {
    const site = await fixtureSite();
    await using hanging = await listen(new Hono().all('*', () => new Promise<Response>(() => undefined)));
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: hanging.url});
    const url = await gate.url;
    await kill(gate);
    const {host} = new URL(hanging.url);
    const why = 'there was no whole answer within 3 s';
    assert.equal(
      gate.written.err,
      `facilitator: ${host} gives no usable answer to GET /supported: ${why}\nListening on ${url}\n`,
    );
    await site.remove();
  });

  test('does not start if the facilitator accepts no payments on the network', async () => {
    standIn.networks = ['eip155:8453'];
    const site = await fixtureSite();
    assert.equal(
      await refusal(site.root, {FROZEN_FACILITATOR_URL: standIn.url}),
      `facilitator ${new URL(standIn.url).host} accepts no payments on ${testnet} (x402 version 2, scheme exact): see payment in data/site.json\n`,
    );
    await site.remove();
  });

  test('does not start for real money with the settings of a trial, and prints a line for each', async () => {
    const site = await fixtureSite({accepts: [{network: 'eip155:8453', pay_to: SHIPPED_PAYEE}]});
    const err = await refusal(site.root, {FROZEN_FACILITATOR_URL: 'http://x402.org/facilitator'});
    assert.deepEqual(err.trimEnd().split('\n'), [
      `data/site.json: payment.accepts[0].pay_to "${SHIPPED_PAYEE}" is the payee of the demonstration, not yours, but payments on Base are real money`,
      'data/site.json: base_url "https://snapshots.example" is a host that no buyer can reach, but payments on Base are real money',
      'FROZEN_FACILITATOR_URL "http://x402.org/facilitator" settles only test money, but payments on Base are real money',
      'FROZEN_FACILITATOR_URL "http://x402.org/facilitator" is not https:, but payments on Base are real money',
      'FROZEN_RPC_URL is not set, but payments on Base are real money: without a node of the chain, a lost answer can make a buyer pay twice',
    ]);
    await site.remove();
  });
});

/** Returns the errors of a gate that does not start. */
async function refusal(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const {code, err} = await runScript('start', ['--root', root], env);
  assert.equal(code, 1);
  return err;
}
