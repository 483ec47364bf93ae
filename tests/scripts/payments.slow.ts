import assert from 'node:assert/strict';
import {test} from 'node:test';
import {edwardsKey} from '../paywall/keyed-facilitator.ts';
import {startStandIn} from '../paywall/stand-in.ts';
import {SITE} from '../build/site-fixture.ts';
import {gitSite} from './git-site.ts';
import {runScript} from './script-run.ts';

const payee = SITE.payment.accepts[0]?.pay_to ?? assert.fail();

test('a dry run of deploy names each network, payee and facilitator, and shows no key', async () => {
  await using site = await gitSite();
  const standIn = await startStandIn();
  const {env} = edwardsKey();
  const settings = {FACILITATOR_URL: standIn.url, RPC_URL: 'http://127.0.0.1:4/v2/HIDDEN', ...env};
  const {code, out, err} = await runScript('deploy', ['cloudflare', '--root', site.root], settings);
  assert.equal(code, 0, err);
  const money = `money goes to ${payee} on Base Sepolia (eip155:84532, test money), through the facilitator ${standIn.url}`;
  assert.ok(out.split('\n').includes(money), out);
  assert.match(out, /^node: 127\.0\.0\.1:4 does not say whether payments can arrive/m);
  for (const secret of ['HIDDEN', env.CDP_API_KEY_SECRET]) assert.ok(!(out + err).includes(secret));
  await standIn.stop();
});

test('deploy refuses a network that the facilitator does not take', async () => {
  await using site = await gitSite();
  const standIn = await startStandIn();
  standIn.networks = [];
  const args = ['cloudflare', '--root', site.root];
  const {code, err} = await runScript('deploy', args, {FACILITATOR_URL: standIn.url});
  assert.equal(code, 1);
  assert.match(err, /^facilitator 127\.0\.0\.1:\d+: takes no payments on eip155:84532 [^\n]+\n$/);
  await standIn.stop();
});

test('verify tells of its own site whether the facilitator takes its payments, and asks about no other', async () => {
  await using site = await gitSite();
  const standIn = await startStandIn();
  const env = {FACILITATOR_URL: standIn.url};
  const taken = await runScript('verify', ['--root', site.root], env);
  assert.match(taken.out, /^✓ {2}facilitator +127\.0\.0\.1:\d+ +takes payments on eip155:84532$/m);
  standIn.networks = [];
  const refused = await runScript('verify', ['--root', site.root], env);
  assert.deepEqual([taken.code, refused.code], [0, 1]);
  assert.match(refused.out, /^✗ {2}facilitator +127\.0\.0\.1:\d+ +takes no payments on eip155:84532/m);
  const other = await runScript('verify', [site.root], env);
  assert.equal(other.code, 0);
  assert.doesNotMatch(other.out, /facilitator/);
  await standIn.stop();
});

test('deploy and verify refuse an address of the environment that is none, without showing it', async () => {
  await using site = await gitSite();
  for (const args of [['deploy', 'cloudflare'], ['verify']]) {
    const [name = '', ...more] = args;
    const {code, err} = await runScript(name, [...more, '--root', site.root], {RPC_URL: 'SECRET'});
    assert.equal(code, 1);
    assert.equal(err, 'environment: RPC_URL cannot be used: It is no http address.\n');
  }
});
