import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {Hono} from 'hono';
import type {Hex} from 'viem';
import {generatePrivateKey} from 'viem/accounts';
import {startChain, type Chain} from '../../scripts/local-chain/chain.ts';
import {usdc} from '../../scripts/local-chain/contracts.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {compile} from '../contracts/solidity.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {spawnGate} from './gate-process.ts';
import {kill} from './shop.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const testnet = 'eip155:84532';
/** Returns 1 whatever it is called with: another domain than x402 signs, and a transfer that succeeds. */
const ANSWERS_ONE = '0x600160005260206000f3';
const REVERTS = '0x60006000fd';
/** The code of a key's account that has delegated to a contract. */
const DELEGATED = `0xef0100${'42'.repeat(20)}` as const;

describe('a gate that starts with a node of the chain', () => {
  let chain: Chain;
  let facilitator: Listening;
  let site: FixtureSite;
  let token: Hex;

  before(async () => {
    // Its own: the token is replaced.
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

  test('says nothing where token, payee, facilitator and clock are right', async () => {
    assert.deepEqual(await started(), []);
  });

  test('is refused where there is no token', async () => {
    await chain.client.setCode({address: usdc, bytecode: '0x'});
    assert.match(
      await refused(),
      /^token eip155:84532: has no token at 0x036C\w+, where x402 pays, says the node of RPC_URL\n$/,
    );
  });

  test('is refused where the token takes other signatures', async () => {
    await chain.client.setCode({address: usdc, bytecode: ANSWERS_ONE});
    assert.match(
      await refused(),
      /^token eip155:84532: .* takes no signatures for "USDC", version "2", which x402 asks for\n$/,
    );
  });

  test('warns of a token that does not say which signatures it takes', async () => {
    await chain.client.setCode({address: usdc, bytecode: REVERTS});
    const [line = '', ...more] = await started();
    assert.match(
      line,
      /^token: eip155:84532 has a token at 0x036C\w+ that does not say whether it takes signatures for "USDC"/,
    );
    assert.deepEqual(more, []);
  });

  test('takes a token that tells its domain in parts', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsDomain')});
    assert.deepEqual(await started(), []);
  });

  test('is refused where the parts are of another version', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsOtherDomain')});
    assert.match(await refused(), /takes no signatures for "USDC", version "2", which x402 asks for\n$/);
  });

  test('warns of a payee that is a contract', async () => {
    await chain.client.setCode({address: payTo, bytecode: ANSWERS_ONE});
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'TellsDomain')});
    assert.deepEqual(await started(), [
      `payee: ${payTo} is a contract on ${testnet}: it must be able to pass the money on`,
    ]);
  });

  test('is refused where the token pays the contract nothing', async () => {
    await chain.client.setCode({address: usdc, bytecode: await compile('other-tokens.sol', 'PaysNobody')});
    await chain.client.setCode({address: payTo, bytecode: ANSWERS_ONE});
    assert.equal(await refused(), `payee ${payTo}: is a contract on ${testnet}, and the token pays it nothing\n`);
  });

  test('says nothing of a payee whose key has delegated to a contract', async () => {
    await chain.client.setCode({address: payTo, bytecode: DELEGATED});
    assert.deepEqual(await started(), []);
  });

  test('warns where the node is away, without the key in its address', async () => {
    const [line = '', ...more] = await started('http://127.0.0.1:4/v2/SECRET');
    assert.match(line, /^node: 127\.0\.0\.1:4 does not say whether payments can arrive: .*ECONNREFUSED/);
    assert.ok(!line.includes('SECRET'));
    assert.deepEqual(more, []);
  });

  test('warns where the node does not speak its language, without the key in its address', async () => {
    const [line = '', ...more] = await started(`${facilitator.url}/v2/SECRET`);
    assert.match(line, /^node: 127\.0\.0\.1:\d+ does not say whether payments can arrive: /);
    assert.ok(!line.includes('SECRET'));
    assert.deepEqual(more, []);
  });

  const gate = (rpcUrl: string) =>
    spawnGate(['--root', site.root], {FACILITATOR_URL: facilitator.url, RPC_URL: rpcUrl});

  /** The lines of standard error before it listens. */
  test('and settles by itself is refused where the node is not of a network of its rules, and asks no facilitator', async () => {
    const elsewhere = 'eip155:421614';
    const both = await fixtureSite({accepts: [testnet, elsewhere].map(network => ({network, pay_to: payTo}))});
    const SETTLER_KEY_FILE = join(both.root, 'settler.key');
    await writeFile(SETTLER_KEY_FILE, generatePrivateKey(), {mode: 0o600});
    const gate = spawnGate(['--root', both.root], {SETTLER_KEY_FILE, RPC_URL: chain.rpcUrl});
    assert.equal(await gate.exitCode, 1);
    const words = `is not the network of the node of RPC_URL, ${testnet}, on which alone this gate settles`;
    assert.equal(gate.written.err, `network ${elsewhere}: ${words}\n`);
    await both.remove();
  });

  async function started(rpcUrl = chain.rpcUrl): Promise<string[]> {
    const running = gate(rpcUrl);
    await running.url;
    await kill(running);
    const lines = running.written.err.trimEnd().split('\n');
    assert.match(lines.pop() ?? '', /^Listening on /);
    return lines;
  }

  async function refused(): Promise<string> {
    const running = gate(chain.rpcUrl);
    assert.equal(await running.exitCode, 1);
    return running.written.err;
  }
});

describe('a gate that starts', () => {
  let standIn: StandIn;

  beforeEach(async () => (standIn = await startStandIn()));
  afterEach(() => standIn.stop());

  test('warns after seconds where the facilitator hangs, and listens', async () => {
    const site = await fixtureSite();
    await using hanging = await listen(new Hono().all('*', () => new Promise<Response>(() => undefined)));
    const gate = spawnGate(['--root', site.root], {FACILITATOR_URL: hanging.url});
    const url = await gate.url;
    await kill(gate);
    const {host} = new URL(hanging.url);
    const why = 'there was no whole answer within 3 s';
    assert.equal(gate.written.err, `facilitator: ${host} does not say what it takes: ${why}\nListening on ${url}\n`);
    await site.remove();
  });

  test('is refused where the facilitator takes nothing on the network', async () => {
    standIn.networks = ['eip155:8453'];
    const site = await fixtureSite();
    const gate = spawnGate(['--root', site.root], {FACILITATOR_URL: standIn.url});
    assert.equal(await gate.exitCode, 1);
    assert.equal(
      gate.written.err,
      `facilitator ${new URL(standIn.url).host}: takes no payments on ${testnet} (x402 version 2, scheme exact): see payment in data/site.json\n`,
    );
    await site.remove();
  });

  test('for real money is refused with a line for everything that is left of trying out', async () => {
    const site = await fixtureSite({accepts: [{network: 'eip155:8453', pay_to: SHIPPED_PAYEE}]});
    const gate = spawnGate(['--root', site.root], {FACILITATOR_URL: 'http://x402.org/facilitator'});
    assert.equal(await gate.exitCode, 1);
    assert.deepEqual(gate.written.err.trimEnd().split('\n'), [
      `data/site.json: payment.accepts[0].pay_to "${SHIPPED_PAYEE}" is the payee of the demonstration, and not yours, on Base, where money is real`,
      'data/site.json: base_url "https://snapshots.example" is a host that no buyer reaches, on Base, where money is real',
      'environment: FACILITATOR_URL "http://x402.org/facilitator" takes test money alone, on Base, where money is real',
      'environment: FACILITATOR_URL "http://x402.org/facilitator" is not https:, on Base, where money is real',
      'environment: RPC_URL is not set: a gate needs a node of the chain, or a lost answer can cost a buyer a second payment, on Base, where money is real',
    ]);
    await site.remove();
  });
});
