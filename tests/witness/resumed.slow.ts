import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, beforeEach, describe, test} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {keccak256, parseEther, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {denySite, type SiteFixture} from '../build/site-fixture.ts';
import {FROZEN} from '../project.ts';
import {runScript} from '../scripts/script-run.ts';

const REVERTING = '0x00000000000000000000000000000000000bad00';
const REVERTS: Hex = '0x5f5ffd';
const FOLDER = 'data/sources/deny-list/2026-05-01/witness';

describe('frozen witness that was killed', () => {
  const keys = mkdtempSync(join(tmpdir(), 'keys-'));
  let key: string;
  let chain: LocalChain;
  let site: SiteFixture;
  before(async () => {
    chain = await startChain();
  });
  beforeEach(async () => {
    const privateKey = generatePrivateKey();
    key = join(keys, privateKey.slice(0, 10));
    writeFileSync(key, privateKey, {mode: 0o600});
    await chain.client.setBalance({address: addressHere(), value: parseEther('1')});
    site = await denySite();
  });
  after(async () => {
    await chain.stop();
    rmSync(keys, {recursive: true});
  });

  const addressHere = () => privateKeyToAccount(readFileSync(key, 'utf8') as Hex).address;
  const args = () => ['deny-list', '--root', site.root, '--rpc-url', chain.rpcUrl, '--key-file', key];
  const stored = () => join(site.root, FOLDER, '.eip155-84532.json.sent');
  const sentHash = () => keccak256(readFileSync(stored(), 'utf8') as Hex);
  const count = () => chain.client.getTransactionCount({address: addressHere()});
  const proof = () =>
    JSON.parse(readFileSync(join(site.root, FOLDER, 'eip155-84532.json'), 'utf8')) as {transaction: Hex};

  /** Starts it while no block is mined, and kills it when its transaction is stored and the node has it. */
  async function killed(): Promise<Hex> {
    await chain.client.setAutomine(false);
    const child = spawn(process.execPath, [FROZEN, 'witness', ...args()], {stdio: 'ignore'});
    const ended = once(child, 'exit');
    for (let tries = 0; tries < 400 && !(existsSync(stored()) && (await isWaiting())); tries++) await delay(50);
    child.kill('SIGKILL');
    await ended;
    return sentHash();
  }

  async function isWaiting(): Promise<boolean> {
    const {pending} = await chain.client.getTxpoolContent();
    return Object.keys(pending).some(from => from.toLowerCase() === addressHere().toLowerCase());
  }

  test('finds the transaction that it sent, and does not pay for another', async () => {
    const hash = await killed();
    await chain.client.mine({blocks: 1});
    await chain.client.setAutomine(true);
    const {code, err} = await runScript('witness', args());
    assert.equal(code, 0, err);
    assert.deepEqual([proof().transaction, await count(), existsSync(stored())], [hash, 1, false]);
    await site[Symbol.asyncDispose]();
  });

  test('sends the same transaction again if the node has dropped it', async () => {
    const hash = await killed();
    await chain.client.dropTransaction({hash});
    await chain.client.setAutomine(true);
    const {code, err} = await runScript('witness', args());
    assert.equal(code, 0, err);
    assert.deepEqual([proof().transaction, await count()], [hash, 1]);
    await site[Symbol.asyncDispose]();
  });

  test('reports that another transaction replaced it', async () => {
    const hash = await killed();
    await chain.client.dropTransaction({hash});
    await chain.client.setAutomine(true);
    await chain.client.setNonce({address: addressHere(), nonce: 1});
    const {code, err} = await runScript('witness', args());
    assert.equal(code, 1);
    assert.match(err, new RegExp(`reports another transaction with the nonce of ${hash}`));
    await site[Symbol.asyncDispose]();
  });

  test('reports that its transaction was reverted, and sends another one when the stored one is deleted', async () => {
    const hash = await killed();
    // The account delegates to a contract (EIP-7702) that reverts.
    await chain.client.setCode({address: REVERTING, bytecode: REVERTS});
    await chain.client.setCode({address: addressHere(), bytecode: `0xef0100${REVERTING.slice(2)}`});
    await chain.client.mine({blocks: 1});
    await chain.client.setAutomine(true);
    const refused = await runScript('witness', args());
    assert.equal(refused.code, 1);
    assert.match(refused.err, new RegExp(`reverted transaction ${hash} in block \\d+`));
    assert.deepEqual([sentHash(), await count()], [hash, 1]);
    await chain.client.setCode({address: addressHere(), bytecode: '0x'});
    rmSync(stored());
    const {code, err} = await runScript('witness', args());
    assert.equal(code, 0, err);
    assert.notEqual(proof().transaction, hash);
    assert.deepEqual([await count(), existsSync(stored())], [2, false]);
    await site[Symbol.asyncDispose]();
  });

  test('reports that the node does not answer', async () => {
    const {code, err} = await runScript('witness', [
      '--root',
      site.root,
      '--rpc-url',
      'http://127.0.0.1:1',
      '--key-file',
      key,
    ]);
    assert.equal(code, 1);
    assert.match(err, /^http:\/\/127\.0\.0\.1:1 does not answer: /);
    assert.ok(!existsSync(stored()));
    await site[Symbol.asyncDispose]();
  });

  test("reports the node's message if the node refuses", async () => {
    await chain.client.setBalance({address: addressHere(), value: 0n});
    const {code, err} = await runScript('witness', args());
    assert.equal(code, 1);
    assert.match(err, /refuses: .*(insufficient funds|funds)/i);
    await site[Symbol.asyncDispose]();
  });
});
