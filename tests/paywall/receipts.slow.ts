import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {
  extractReceiptFromResponse,
  verifyReceiptSignatureJWS,
  type JWSSignedReceipt,
} from '@x402/extensions/offer-receipt';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {network, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {buyer} from '../../scripts/package/buy.ts';
import {keyText, newSigningKey} from '../../shared/signing-key.ts';
import {nodesOf, readPage} from '../docs/page.ts';
import {runScript} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';
import {spawnGate, type GateProcess} from './gate-process.ts';
import {kill, newBuyer, path, transfersOf} from './shop.ts';
import {signedSite, type SignedSite} from './signed-site.ts';

const PASSPHRASE = 'a passphrase of a gate';

describe('frozen start with the key of its site, on a real chain', () => {
  let site: SignedSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: GateProcess;
  let folder: string;
  let keyFile: string;

  before(async () => {
    site = await signedSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    folder = await mkdtemp(join(tmpdir(), 'receipts-'));
    keyFile = join(folder, 'site.key');
    await writeFile(keyFile, await keyText(site.key, PASSPHRASE), {mode: 0o600});
    gate = spawnGate(['--root', site.root, '--signing-key-file', keyFile], {
      FROZEN_FACILITATOR_URL: facilitator.url,
      FROZEN_SIGNING_PASSPHRASE: PASSPHRASE,
    });
    await gate.url;
  });
  after(async () => {
    await kill(gate);
    await facilitator.stop();
    await chain.stop();
    await site.remove();
    await rm(folder, {recursive: true});
  });

  test('@x402/fetch gets a receipt that names the transfer', async () => {
    const account = await newBuyer(chain);
    const pay = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(account)}]});
    const answer = await pay((await gate.url) + path);
    assert.equal(answer.status, 200);
    const key = {kty: 'OKP', crv: 'Ed25519', x: site.key.x, alg: 'EdDSA'};
    const receipt = extractReceiptFromResponse(answer) as JWSSignedReceipt;
    const {transaction, payer} = await verifyReceiptSignatureJWS(receipt, key);
    assert.deepEqual([transaction], await transfersOf(chain, account));
    assert.equal(payer, account.address.toLowerCase());
  });

  test('openssl and jq, as the page describes, and frozen verify check the files that frozen buy stores', async () => {
    const shop = buyer({account: await newBuyer(chain), folder: join(folder, 'bought')});
    const bought = await shop.buy(await gate.url, 'softfail3');
    assert.equal(bought.unconfirmed, undefined);
    const [words = '', lines = ''] = blocksOf('Receipts');
    const out = run(lines, bought.folder);
    assert.match(out, /^Signature Verified Successfully$/m);
    assert.match(out, /^true$/m);
    assert.match(out, new RegExp(`"transaction": "${bought.transaction ?? ''}"`));
    assert.match(out, /^document\.json: OK$/m);

    const args = words.replace('frozen verify ', '').replace('2J8…', site.key.kid).split(/ +/);
    const own = args.map(arg => (arg.endsWith('.json') ? join(bought.folder, arg) : arg));
    assert.equal((await runScript('verify', own)).code, 0);

    const file = join(bought.folder, 'receipt.json');
    const receipt = await readFile(file, 'utf8');
    const {x} = await newSigningKey();
    await writeFile(file, receipt.replace(site.key.x, x));
    assert.throws(() => run(lines, bought.folder), {stdout: /Signature Verification Failure/});
    await writeFile(file, receipt);
    await writeFile(join(bought.folder, 'document.json'), '{}');
    assert.throws(() => run(lines, bought.folder), {stdout: /document\.json: FAILED/});
    assert.equal((await runScript('verify', own)).code, 1);
  });

  test('it does not start with a wrong key, and does not show it', async () => {
    const other = await newSigningKey();
    const open = join(folder, 'open.key');
    await writeFile(open, await keyText(site.key));
    await chmod(open, 0o644);
    const jwk = JSON.stringify(site.key);
    for (const [env, reported] of [
      [{FROZEN_SIGNING_KEY: JSON.stringify(other)}, /The signing key \S+ is not the key of the site/],
      [{FROZEN_SIGNING_KEY: JSON.stringify({...site.key, d: other.d})}, /do not belong together/],
      [{FROZEN_SIGNING_KEY: jwk.slice(1)}, /FROZEN_SIGNING_KEY is not a private Ed25519 key/],
      [{FROZEN_SIGNING_KEY_FILE: keyFile}, /passphrase is missing/],
      [
        {FROZEN_SIGNING_KEY_FILE: keyFile, FROZEN_SIGNING_PASSPHRASE: 'other'},
        /site\.key cannot be decrypted: the passphrase/,
      ],
      [{FROZEN_SIGNING_KEY_FILE: open}, /open\.key can be read by other users/],
      [{FROZEN_SIGNING_KEY_FILE: join(folder, 'none.key')}, /none\.key cannot be read \(ENOENT\)/],
    ] as const) {
      const given = {FROZEN_FACILITATOR_URL: facilitator.url, ...env};
      const {code, err} = await runScript('start', ['--root', site.root], given);
      assert.equal(code, err.includes('is missing') ? 2 : 1);
      assert.match(err, reported);
      assert.equal(err.trim().split('\n').length, 1, err);
      for (const {d} of [site.key, other]) assert.ok(!err.includes(d));
    }
  });

  test('it starts without a key, and reports that nothing is signed', async () => {
    const unsigned = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    await unsigned.url;
    assert.match(unsigned.written.err, /^The site has a signing key, but the gate does not: .* not signed$/m);
    await kill(unsigned);
  });
});

/** Returns the blocks of commands in a section of the page. */
function blocksOf(title: string): string[] {
  const {tree} = readPage('docs/verifying.md');
  const at = tree.children.findIndex(node => node.type === 'heading' && nodesOf(node, 'text')[0]?.value === title);
  const section = tree.children.slice(at + 1);
  const end = section.findIndex(node => node.type === 'heading');
  const inside = end < 0 ? section : section.slice(0, end);
  return inside.flatMap(node => (node.type === 'code' && node.lang === 'sh' ? [node.value] : []));
}

function run(commands: string, cwd: string): string {
  return execFileSync('bash', ['-e', '-o', 'pipefail', '-c', `exec 2>&1\n${commands}`], {cwd, encoding: 'utf8'});
}
