import assert from 'node:assert/strict';
import {once} from 'node:events';
import {rm, writeFile} from 'node:fs/promises';
import {createServer, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {PROJECT} from '../project.ts';
import {runRaw} from '../scripts/script-run.ts';
import {fixtureSite, payTo, type FixtureOptions, type FixtureSite} from './fixture-site.ts';
import {refusedStart} from './refused-start.ts';
import {startStandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const main = 'eip155:8453';
const testnet = 'eip155:84532';
const ones = `0x${'1'.repeat(40)}`;
const zero = `0x${'0'.repeat(40)}`;
const dead = `0x${'0'.repeat(36)}dEaD`;

interface Refusal {
  readonly name: string;
  readonly site?: FixtureOptions;
  readonly spoil?: (site: FixtureSite) => Promise<unknown>;
  readonly says: RegExp;
}

const refusals: Refusal[] = [
  {
    name: 'there is no payee',
    site: {accepts: []},
    says: /The payee is missing: payment\.accepts in data\/site\.json is empty/,
  },
  {name: 'a pay-to address is empty', site: paid(testnet, ''), says: /The payee on eip155:84532 is missing/},
  {
    name: 'a pay-to address is invalid',
    site: paid(testnet, '0x12'),
    says: /"0x12", the payee on .*, is not a valid address/,
  },
  {
    name: 'the zero address is paid on a main network',
    site: paid(main, zero),
    says: /would be lost: 0x0+ is a placeholder/,
  },
  {
    name: 'a burn address is paid on a main network',
    site: paid(main, dead),
    says: /would be lost: 0x.*dEaD is a placeholder/,
  },
  {
    name: 'a placeholder is paid on a main network',
    site: paid(main, ones),
    says: /would be lost: 0x1+ is a placeholder/,
  },
  {name: 'a placeholder is paid on another main network', site: paid('eip155:137', ones), says: /would be lost/},
  {
    name: 'x402 does not have a dollar token on a network',
    site: paid('eip155:999999', payTo),
    says: /x402 does not have a dollar token on eip155:999999/,
  },
  {
    name: 'a price differs between rules and catalogue',
    site: {alter: ({catalogue}) => void Object.assign(catalogue.products[0] ?? {}, {price: '$0.01'})},
    says: /differ in the price of softfail3/,
  },
  {
    name: 'a path differs between rules and catalogue',
    site: {alter: ({rules}) => void Object.assign(rules.rules[0] ?? {}, {path: '/api/v1/other'})},
    says: /differ in the path of softfail3/,
  },
  {
    name: 'test money and real money are accepted',
    site: {
      accepts: [
        {network: testnet, pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'},
        {network: 'eip155:8453', pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'},
      ],
    },
    says: /^Test networks cannot be combined with main networks, .*: see payment\.accepts in data\/site\.json/,
  },
  {
    name: 'rules and catalogue have different payees',
    site: {alter: ({catalogue}) => void (catalogue.payment.accepts = [{network: testnet, pay_to: ones}])},
    says: /differ in payment\.accepts/,
  },
  {
    name: 'a product has no rule',
    site: {alter: ({rules}) => void rules.rules.pop()},
    says: /lists webhookbundle, which .* does not sell/,
  },
  {
    name: 'a rule has no product',
    site: {alter: ({catalogue}) => void catalogue.products.pop()},
    says: /sells webhookbundle, which .* does not list/,
  },
  {
    name: 'a price is invalid',
    site: {alter: ({rules}) => void Object.assign(rules.rules[0] ?? {}, {price: '2 cents'})},
    says: /rules\.json: rules\.0\.price is not \$<decimal>/,
  },
  {
    name: 'a paid document is missing',
    spoil: ({root}) => rm(join(root, 'public', path)),
    says: /public\/api\/v1\/softfail3, .* does not exist$/m,
  },
  {
    name: 'a paid document has other bytes',
    spoil: ({root}) => writeFile(join(root, 'public', path), '{}'),
    says: /public\/api\/v1\/softfail3 does not have the digest that .* lists/,
  },
  {
    name: 'there are no rules',
    spoil: ({root}) => rm(join(root, 'paywall'), {recursive: true}),
    says: /paywall\/rules\/rules\.json below .* does not exist$/m,
  },
  {
    name: 'the catalogue is not JSON',
    spoil: ({root}) => writeFile(join(root, 'public/api/v1/index.json'), '{'),
    says: /public\/api\/v1\/index\.json is not JSON/,
  },
];

describe('frozen start refuses, with one sentence,', () => {
  for (const {name, site: options, spoil, says} of refusals)
    test(`if ${name}`, async () => {
      const site = await fixtureSite(options);
      await spoil?.(site);
      const {code, err} = await refusedStart(['--root', site.root]);
      assert.equal(code, 1);
      assert.match(err, says);
      assert.match(err, /^[^\n]+\n$/);
      await site.remove();
    });

  test('if the facilitator accepts no payments on the network', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    facilitator.networks = [main];
    const {code, err} = await refusedStart(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const {host} = new URL(facilitator.url);
    const message = `accepts no payments on ${testnet} (x402 version 2, scheme exact): see payment in data/site.json`;
    assert.deepEqual([code, err], [1, `facilitator ${host} ${message}\n`]);
    await facilitator.stop();
    await site.remove();
  });

  for (const [option, variable] of [
    ['--port', 'PORT'],
    ['--admin-port', 'FROZEN_ADMIN_PORT'],
  ] as const)
    test(`if the port of ${option} is in use`, async () => {
      const [site, facilitator, server] = [await fixtureSite(), await startStandIn(), createServer()];
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const port = String((server.address() as AddressInfo).port);
      const env = {PORT: '0', FROZEN_FACILITATOR_URL: facilitator.url, [variable]: port};
      const {code, err} = await refusedStart(['--root', site.root], env);
      const message = `Port ${port} on 127.0.0.1 is in use: set ${option} or ${variable} to another port\n`;
      assert.equal(code, 1);
      assert.ok(err.endsWith(message), err);
      server.close();
      await facilitator.stop();
      await site.remove();
    });
});

test('frozen start refuses real money with the settings of a trial, with a line for each', async () => {
  const site = await fixtureSite({accepts: [{network: main, pay_to: SHIPPED_PAYEE}]});
  const env = {FROZEN_FACILITATOR_URL: 'http://x402.org/facilitator'};
  const {code, err} = await refusedStart(['--root', site.root], env);
  assert.equal(code, 1);
  assert.deepEqual(err.trimEnd().split('\n'), [
    `data/site.json: payment.accepts[0].pay_to "${SHIPPED_PAYEE}" is the payee of the demonstration, not yours, but payments on Base are real money`,
    'data/site.json: base_url "https://snapshots.example" is a host that no buyer can reach, but payments on Base are real money',
    'FROZEN_FACILITATOR_URL "http://x402.org/facilitator" settles only test money, but payments on Base are real money',
    'FROZEN_FACILITATOR_URL "http://x402.org/facilitator" is not https:, but payments on Base are real money',
    'FROZEN_RPC_URL is not set, but payments on Base are real money: without a node of the chain, a lost answer can make a buyer pay twice',
  ]);
  await site.remove();
});

test('frozen start refuses unknown flags, and invalid ports, addresses, limits and headers, as wrong usage', async () => {
  for (const [args, env, says] of [
    [['--rot', '/'], {}, /--help/],
    [['stray'], {}, /--help/],
    [[], {PORT: 'http'}, /--help/],
    [[], {FROZEN_FACILITATOR_URL: 'x'}, /--help/],
    [[], {FROZEN_FACILITATOR_URL: 'https://user:secret@x.example'}, /--help/],
    [[], {FROZEN_FACILITATOR_URL: 'https://x.example/?key=secret'}, /--help/],
    [[], {FROZEN_MAX_WAITING: '0'}, /^FROZEN_MAX_WAITING "0" is not a whole number /],
    [[], {FROZEN_CLIENT_ADDRESS_HEADER: 'Forwarded'}, /^FROZEN_CLIENT_ADDRESS_HEADER "Forwarded" is not a header /],
  ] as const) {
    const {code, err} = await runRaw(PROJECT, ['start', ...args], env);
    assert.equal(code, 2);
    assert.match(err, says);
    assert.doesNotMatch(err, /secret/);
  }
});

function paid(network: string, pay_to: string): FixtureOptions {
  return {accepts: [{network, pay_to}]};
}
