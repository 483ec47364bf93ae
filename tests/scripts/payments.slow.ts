import assert from 'node:assert/strict';
import {chmod, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {spawnGate} from '../paywall/gate-process.ts';
import {edwardsKey} from '../paywall/keyed-facilitator.ts';
import {kill} from '../paywall/shop.ts';
import {startStandIn} from '../paywall/stand-in.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {SITE} from '../build/site-fixture.ts';
import {gitSite, type GitSite} from './git-site.ts';
import {runScript} from './script-run.ts';

/** The commands that read the configuration of a gate. */
const COMMANDS = [['start'], ['deploy', 'cloudflare'], ['verify', 'site']];
const payee = SITE.payment.accepts[0]?.pay_to ?? assert.fail();

const FROZEN_RPC_URL = 'http://127.0.0.1:4';

describe('the settings of a gate', {concurrency: false}, () => {
  let site: GitSite;
  before(async () => {
    site = await gitSite();
  });
  after(() => site[Symbol.asyncDispose]());

  test('a dry run of deploy names each network, payee and facilitator, and shows no key', async () => {
    const standIn = await startStandIn();
    const {env} = edwardsKey();
    const settings = {FROZEN_FACILITATOR_URL: standIn.url, FROZEN_RPC_URL: 'http://127.0.0.1:4/v2/HIDDEN', ...env};
    const {code, out, err} = await runScript('deploy', ['cloudflare', '--root', site.root], settings);
    assert.equal(code, 0, err);
    const money = `money goes to ${payee} on Base Sepolia (eip155:84532, test money), through the facilitator ${standIn.url}`;
    assert.ok(out.split('\n').includes(money), out);
    assert.match(out, /^node: 127\.0\.0\.1:4 gives no usable answer/m);
    for (const secret of ['HIDDEN', env.CDP_API_KEY_SECRET]) assert.ok(!(out + err).includes(secret));
    await standIn.stop();
  });

  test('deploy refuses a network that the facilitator does not support', async () => {
    const standIn = await startStandIn();
    standIn.networks = [];
    const args = ['cloudflare', '--root', site.root];
    const {code, err} = await runScript('deploy', args, {FROZEN_FACILITATOR_URL: standIn.url});
    assert.equal(code, 1);
    assert.match(err, /^facilitator 127\.0\.0\.1:\d+ accepts no payments on eip155:84532 [^\n]+\n$/);
    await standIn.stop();
  });

  test('verify checks for its own site whether the facilitator accepts its payments, and does not check for other sites', async () => {
    const standIn = await startStandIn();
    const env = {FROZEN_FACILITATOR_URL: standIn.url};
    const taken = await runScript('verify', ['site', '--root', site.root], env);
    assert.match(taken.out, /^✓ {2}facilitator +127\.0\.0\.1:\d+ +accepts payments on eip155:84532$/m);
    standIn.networks = [];
    const refused = await runScript('verify', ['site', '--root', site.root], env);
    assert.deepEqual([taken.code, refused.code], [0, 1]);
    assert.match(refused.out, /^✗ {2}facilitator +127\.0\.0\.1:\d+ +accepts no payments on eip155:84532/m);
    const other = await runScript('verify', ['site', site.root], env);
    assert.equal(other.code, 0);
    assert.doesNotMatch(other.out, /facilitator/);
    await standIn.stop();
  });

  test('deploy and verify refuse a variable that is not an address with exit code 2, and do not show it', async () => {
    for (const [name = '', ...more] of COMMANDS.slice(1)) {
      const {code, err} = await runScript(name, [...more, '--root', site.root], {FROZEN_RPC_URL: 'SECRET'});
      assert.equal(code, 2);
      assert.match(err, /FROZEN_RPC_URL.* (?:cannot be used: E|is invalid: e)xpected an http: or https: address/);
      assert.doesNotMatch(err, /SECRET/);
    }
  });

  test('start, deploy and verify read the key of a settler alike, and refuse the same settings', async () => {
    const [key, file] = [generatePrivateKey(), join(site.root, '..', 'settler.key')];
    await writeFile(file, key, {mode: 0o600});
    const refused: readonly (readonly [env: Record<string, string>, code: number, says: string])[] = [
      [
        {FROZEN_SETTLER_KEY: 'SECRET', FROZEN_RPC_URL},
        1,
        'FROZEN_SETTLER_KEY does not contain a private key of 64 hex digits\n',
      ],
      [{FROZEN_SETTLER_KEY: key}, 2, 'FROZEN_SETTLER_KEY needs FROZEN_RPC_URL, a node of the chain\n'],
      [
        {FROZEN_SETTLER_KEY_FILE: file, FROZEN_RPC_URL: ''},
        2,
        'FROZEN_SETTLER_KEY_FILE needs FROZEN_RPC_URL, a node of the chain\n',
      ],
      [
        {FROZEN_SETTLER_KEY: key, FROZEN_RPC_URL, FROZEN_FACILITATOR_URL: 'http://127.0.0.1:1'},
        2,
        'FROZEN_SETTLER_KEY cannot be combined with FROZEN_FACILITATOR_URL\n',
      ],
      [
        {FROZEN_SETTLER_KEY: key, FROZEN_SETTLER_KEY_FILE: file, FROZEN_RPC_URL},
        2,
        'FROZEN_SETTLER_KEY_FILE is set together with FROZEN_SETTLER_KEY\n',
      ],
    ];
    for (const [env, code, says] of refused)
      for (const [name = '', ...args] of COMMANDS) {
        const ran = await runScript(name, [...args, '--root', site.root], env);
        assert.deepEqual([ran.code, ran.err], [code, says], name);
      }

    const env = {FROZEN_SETTLER_KEY: key, FROZEN_RPC_URL, FROZEN_FACILITATOR_URL: '', FROZEN_SETTLER_KEY_FILE: ''};
    const gate = spawnGate(['--root', site.root], env);
    await gate.url;
    await kill(gate);
    const {address} = privateKeyToAccount(key);
    assert.match(
      gate.written.err,
      new RegExp(`^Settles payments without a facilitator. The gas is paid by ${address}$`, 'm'),
    );
    const deploy = await runScript('deploy', ['cloudflare', '--root', site.root], env);
    assert.match(deploy.out, /^money goes to .*, through the gate itself$/m);
    const verify = await runScript('verify', ['site', '--root', site.root], env);
    assert.match(verify.out, /^\S+ +node +127\.0\.0\.1:4/m);
    assert.doesNotMatch(verify.out, /facilitator /);
    for (const {out, err} of [gate.written, deploy, verify]) assert.ok(!(out + err).includes(key.slice(2, 20)));
  });

  test('start, deploy and verify take an empty variable for one that is not set', async () => {
    const standIn = await startStandIn();
    const names = [
      'HOST',
      'FROZEN_ADMIN_PORT',
      'FROZEN_ADMIN_HOST',
      'FROZEN_RPC_URL',
      'FROZEN_SETTLER_KEY',
      'FROZEN_SETTLER_KEY_FILE',
      'FROZEN_LEDGER_URL',
    ];
    const keys = [
      'FROZEN_SIGNING_KEY',
      'FROZEN_SIGNING_KEY_FILE',
      'FROZEN_FACILITATOR_TOKEN',
      'CDP_API_KEY_ID',
      'CDP_API_KEY_SECRET',
    ];
    const empty = Object.fromEntries([...names, ...keys].map(name => [name, '']));
    const gate = spawnGate(['--root', site.root], {...empty, PORT: '', FROZEN_FACILITATOR_URL: standIn.url});
    assert.equal(await gate.url, 'http://127.0.0.1:8402');
    await kill(gate);
    const env = {...empty, FROZEN_FACILITATOR_URL: standIn.url};
    assert.equal((await runScript('verify', ['site', '--root', site.root], env)).code, 0);
    // So that it ends before the dry run of wrangler, which takes some seconds.
    standIn.networks = [];
    const {err} = await runScript('deploy', ['cloudflare', '--root', site.root], env);
    assert.match(err, /^facilitator 127\.0\.0\.1:\d+ accepts no payments on eip155:84532 [^\n]+\n$/);
    await standIn.stop();
  });

  test('start accepts a read-only key file that others may read, as containers mount it, with a warning', async () => {
    const file = join(site.root, '..', 'settler.key');
    await writeFile(file, generatePrivateKey());
    for (const mode of [0o444]) {
      await chmod(file, mode);
      const gate = spawnGate(['--root', site.root], {FROZEN_SETTLER_KEY_FILE: file, FROZEN_RPC_URL});
      await gate.url;
      await kill(gate);
      const warning = "The settler's key file " + file + ' can be read by other users of this machine.\n';
      assert.ok(gate.written.err.startsWith(warning), gate.written.err);
    }
    for (const mode of [0o644, 0o446]) {
      await chmod(file, mode);
      const env = {FROZEN_SETTLER_KEY_FILE: file, FROZEN_RPC_URL};
      const {code, err} = await runScript('start', ['--root', site.root], env);
      assert.equal(code, 1);
      assert.match(err, /settler\.key can be read by other users\n$/);
    }
  });
});

test('start, deploy and verify refuse real money for the payee of the demonstration, or without a node', async () => {
  await using site = await gitSite();
  const accepts = [{network: 'eip155:8453', pay_to: SHIPPED_PAYEE}];
  const base_url = 'https://snapshots.frozen.test';
  await site.write('data/site.json', {...SITE, base_url, payment: {...SITE.payment, accepts}});
  const built = await runScript('build', ['--root', site.root]);
  assert.match(built.out + built.err, /is the payee of the demonstration, not yours/);
  site.git('add', '--all');
  site.git('commit', '--quiet', '--message', 'Build');
  for (const [name = '', ...args] of COMMANDS) {
    const {code, out, err} = await runScript(name, [...args, '--root', site.root]);
    assert.equal(code, 1, name);
    assert.match(out + err, /pay_to "0x\w+" is the payee of the demonstration, not yours/, name);
    if (name !== 'deploy')
      assert.match(out + err, /FROZEN_RPC_URL is not set, but payments on Base are real money/, name);
  }
  const own = [{network: 'eip155:8453', pay_to: `0x${'ab'.repeat(20)}`}];
  await site.write('data/site.json', {...SITE, base_url, payment: {...SITE.payment, accepts: own}});
  await site.commit();
  const deploy = await runScript('deploy', ['cloudflare', '--root', site.root]);
  assert.match(deploy.err, /FROZEN_RPC_URL is not set, but payments on Base are real money/);
});
