import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {randomBytes, scryptSync} from 'node:crypto';
import {once} from 'node:events';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {encrypt, pbkdf2, scrypt} from 'ox/Keystore';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {EXAMPLE} from '../example/example.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {FROZEN} from '../project.ts';
import {runScript} from '../scripts/script-run.ts';
import {answering, noTerminal} from '../scripts/terminal.ts';
import {newFolder} from './stall.ts';

const PASSPHRASE = 'correct horse battery staple';

describe('frozen buy', () => {
  let facilitator: StandIn;
  let gate: Listening;
  let folder: string;
  let key: `0x${string}`;
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runScript('buy', [...args, '--folder', folder], {
      FROZEN_BUYER_KEY: '',
      FROZEN_BUYER_PASSPHRASE: '',
      FROZEN_RPC_URL: '',
      ...env,
    });
  const write = async (name: string, text: string, mode = 0o600) => {
    const file = join(folder, name);
    await writeFile(file, text, {mode});
    return file;
  };

  before(async () => {
    facilitator = await startStandIn();
    gate = await startGate(EXAMPLE, facilitator.url);
  });
  afterEach(() => rm(folder, {recursive: true}));
  beforeEach(async () => {
    folder = await newFolder();
    key = generatePrivateKey();
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
  });

  test('lists the products of a site and which ones it has, and buys each with a key from another place', async () => {
    const {code, out} = await run([gate.url]);
    assert.equal(code, 0);
    assert.match(out, /^softfail3 +\$0\.02 +2026-05-01T12:00:00\.000Z +Soft Fail 3$/m);
    const file = await write('wallet.key', `${key}\n`);
    // As most wallets write it.
    const kdfparams = {dklen: 32, n: 1024, r: 8, p: 1, salt: 'ab'.repeat(32)};
    const derived = scryptSync(PASSPHRASE, Buffer.from(kdfparams.salt, 'hex'), 32, {N: 1024, r: 8, p: 1});
    const made = `0x${derived.toString('hex')}` as const;
    const options = {kdf: 'scrypt', kdfparams, iv: randomBytes(16)} as const;
    const [other, others] = pbkdf2({password: PASSPHRASE, iterations: 1000});
    const {crypto, ...rest} = encrypt(key, made, options);
    // ethers writes `Crypto`.
    const ethers = await write('ethers.json', JSON.stringify({...rest, Crypto: crypto}));
    const keystore = await write('wallet.json', JSON.stringify(encrypt(key, other, others)));
    const passphrase = await write('passphrase', `${PASSPHRASE}\n`);
    for (const [name, args, env] of [
      ['softfail3', ['--key-file', file], {}],
      ['firstlastsame', ['--keystore', keystore, '--passphrase-file', passphrase], {}],
      ['webhookbundle', ['--keystore', ethers], {FROZEN_BUYER_PASSPHRASE: PASSPHRASE}],
    ] as const) {
      const {code, out, err} = await run([gate.url, name, '--json', ...args], env);
      assert.equal(code, 0, err);
      const bought = JSON.parse(out) as {kind: string; folder: string};
      assert.equal(bought.kind, 'bought');
      assert.deepEqual(
        await readFile(join(bought.folder, 'document.json')),
        await readFile(join(EXAMPLE, `public/api/v1/${name}`)),
      );
      const {address} = privateKeyToAccount(key);
      assert.match(await readFile(join(bought.folder, 'receipt.json'), 'utf8'), new RegExp(`"payer": "${address}"`));
    }
    assert.match((await run([gate.url])).out, /^softfail3 +\$0\.02 +2026-05-01T12:00:00\.000Z +owned +Soft Fail 3$/m);
    assert.match((await run([gate.url, 'softfail3'], {FROZEN_BUYER_KEY: key})).out, /^owned .*: nothing was paid$/m);
  });

  test('buys, although the reader of its output has closed the pipe', async () => {
    const env = {...process.env, FROZEN_BUYER_KEY: key};
    const args = [FROZEN, 'buy', gate.url, 'softfail3', '--folder', folder];
    const child = spawn(process.execPath, args, {env, stdio: ['ignore', 'pipe', 'inherit']});
    child.stdout.destroy();
    assert.equal((await once(child, 'exit'))[0], 0);
    assert.match((await run([gate.url])).out, /^softfail3 .* owned /m);
  });

  test('shows all information in a dry run, without a wallet', async () => {
    const {code, out} = await run([gate.url, 'softfail3', '--dry-run']);
    assert.equal(code, 0);
    for (const line of [
      /^price +\$0\.02 on Base Sepolia \(test money\), to 0x/m,
      /^sample +\S/m,
      /^schema +requires name/m,
    ])
      assert.match(out, line);
    const {out: json} = await run([gate.url, 'softfail3', '--dry-run', '--json']);
    const shown = JSON.parse(json) as {price: string; sample: {title: string}; owned: null};
    assert.deepEqual([shown.price, shown.sample.title, shown.owned], ['$0.02', 'Soft Fail 3 Sample', null]);
    const dear = await run([gate.url, 'softfail3', '--dry-run', '--max', '0.01']);
    assert.deepEqual([dear.code, /is more than \$0\.01/.test(dear.err)], [1, true]);
  });

  test('refuses a key that others can read, a wrong passphrase, and a file without a key', async () => {
    const open = await write('open.key', key, 0o644);
    const {code, err} = await run([gate.url, 'firstlastsame', '--key-file', open]);
    assert.equal(code, 1);
    assert.match(err, /can be read by other users/);
    const [made, options] = scrypt({password: PASSPHRASE, n: 1024});
    const file = await write('wallet.json', JSON.stringify(encrypt(key, made, options)));
    const wrong = await run([gate.url, 'webhookbundle', '--keystore', file], {FROZEN_BUYER_PASSPHRASE: 'another'});
    assert.deepEqual([wrong.code, /cannot be opened: the passphrase is wrong/.test(wrong.err)], [1, true]);
    const {crypto} = encrypt(key, made, options);
    const bare = await write('bare.json', JSON.stringify({version: 3, crypto: {...crypto, cipherparams: undefined}}));
    const damaged = await run([gate.url, 'webhookbundle', '--keystore', bare], {FROZEN_BUYER_PASSPHRASE: PASSPHRASE});
    assert.match(damaged.err, /the passphrase is wrong, or the file is damaged/);
    const none = await write('none.json', '{"version": 3}');
    const odd = await run([gate.url, 'webhookbundle', '--keystore', none], {FROZEN_BUYER_PASSPHRASE: PASSPHRASE});
    assert.match(odd.err, /is not a keystore/);
    const beyond = await write('beyond.json', JSON.stringify(encrypt(`0x${'f'.repeat(64)}`, made, options)));
    const large = await run([gate.url, 'webhookbundle', '--keystore', beyond], {FROZEN_BUYER_PASSPHRASE: PASSPHRASE});
    assert.match(large.err, /^\S+beyond\.json does not contain a private key of 64 hex digits$/m);
    assert.doesNotMatch(large.err, /\d{40}/);
  });

  test('asks for the passphrase on a terminal, and does not show it', {skip: noTerminal}, async () => {
    const [made, options] = scrypt({password: PASSPHRASE, n: 1024});
    const file = await write('wallet.json', JSON.stringify(encrypt(key, made, options)));
    const args = ['buy', gate.url, 'softfail3', '--folder', folder, '--keystore', file];
    const {status, shown} = await answering(args, folder, [['Passphrase of the keystore: ', `${PASSPHRASE}\n`]]);
    assert.equal(status, 0, shown);
    assert.doesNotMatch(shown, /correct horse/);
  });

  test('shows no key, explains errors of a wallet, and refuses wrong usage', async () => {
    const secret = `0x${'f'.repeat(64)}`;
    const bad = await run([gate.url, 'softfail3'], {FROZEN_BUYER_KEY: secret});
    assert.equal(bad.code, 1);
    assert.equal((bad.out + bad.err).includes('ffffffff'), false);
    for (const args of [[], [gate.url, '--max', '0'], [gate.url, '--budget', 'much'], [gate.url, '--key', key]])
      assert.equal((await run(args)).code, 2, args.join(' '));
  });
});
