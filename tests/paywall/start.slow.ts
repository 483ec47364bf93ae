import assert from 'node:assert/strict';
import {once} from 'node:events';
import {rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {PROJECT} from '../project.ts';
import {runRaw, runScript} from '../scripts/script-run.ts';
import {fixtureSite, payTo, type FixtureOptions, type FixtureSite} from './fixture-site.ts';
import {spawnGate} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
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
    says: /public\/api\/v1\/softfail3, .* cannot be read \(ENOENT\): /,
  },
  {
    name: 'a paid document has other bytes',
    spoil: ({root}) => writeFile(join(root, 'public', path), '{}'),
    says: /public\/api\/v1\/softfail3 does not have the digest that .* lists/,
  },
  {
    name: 'there are no rules',
    spoil: ({root}) => rm(join(root, 'paywall'), {recursive: true}),
    says: /paywall\/rules\/rules\.json below .* cannot be read \(ENOENT\): /,
  },
  {
    name: 'the catalogue is not JSON',
    spoil: ({root}) => writeFile(join(root, 'public/api/v1/index.json'), '{'),
    says: /public\/api\/v1\/index\.json is not JSON/,
  },
];

describe('the gate as a process refuses to start, with one sentence,', {concurrency: 2}, () => {
  for (const {name, site: options, spoil, says} of refusals) {
    test(`if ${name}`, async () => {
      const site = await fixtureSite(options);
      await spoil?.(site);
      const {code, err} = await runScript('start', ['--root', site.root]);
      assert.equal(code, 1);
      assert.match(err, says);
      assert.match(err, /^[^\n]+\n$/);
      await site.remove();
    });
  }

  test('if the port is in use', async () => {
    const [site, server] = [await fixtureSite(), createServer().listen(0, '127.0.0.1')];
    await once(server, 'listening');
    const PORT = String((server.address() as AddressInfo).port);
    const {code, err} = await runScript('start', ['--root', site.root], {PORT});
    assert.equal(code, 1);
    assert.match(err, /\nPort \d+ on 127\.0\.0\.1 is in use: set --port or PORT to another port\n$/);
    server.close();
    await site.remove();
  });
});

describe('the gate as a process', () => {
  test('shows its help, and refuses unknown flags and invalid ports and addresses', async () => {
    const help = await runScript('start', ['--help']);
    assert.equal(help.code, 0);
    assert.match(help.out, /Example: /);
    for (const [args, env] of [
      [['--rot', '/'], {}],
      [['stray'], {}],
      [[], {PORT: 'http'}],
      [[], {FROZEN_FACILITATOR_URL: 'x'}],
      [[], {FROZEN_FACILITATOR_URL: 'https://user:secret@x.example'}],
      [[], {FROZEN_FACILITATOR_URL: 'https://x.example/?key=secret'}],
    ] as const) {
      const {code, err} = await runRaw(PROJECT, ['start', ...args], env);
      assert.equal(code, 2);
      assert.match(err, /--help/);
      assert.doesNotMatch(err, /secret/);
    }
  });

  test('reads limits and the header with the address of the client from the environment', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    let release = (): void => undefined;
    facilitator.verify = new Promise(resolve => (release = resolve));
    const gate = spawnGate(['--root', site.root], {
      FROZEN_FACILITATOR_URL: facilitator.url,
      FROZEN_MAX_VERIFICATIONS_PER_CLIENT: '1',
      FROZEN_CLIENT_ADDRESS_HEADER: 'X-Client',
    });
    const url = await gate.url;
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    const pay = async (client: string) => {
      const payment = await paymentFor(challenge, privateKeyToAccount(generatePrivateKey()));
      return (await fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment, 'X-Client': client}})).status;
    };
    const first = pay('192.0.2.1');
    while (facilitator.asked < 1) await sleep(10);
    assert.equal(await pay('192.0.2.1'), 503);
    const other = pay('192.0.2.2');
    while (facilitator.asked < 2) await sleep(10);
    release();
    assert.deepEqual([await first, await other], [200, 200]);
    gate.signal('SIGTERM');
    await gate.exitCode;
    await facilitator.stop();
    await site.remove();
  });

  test('exits with 2 for invalid limits and an invalid header, with a line for each', async () => {
    const site = await fixtureSite();
    for (const [env, says] of [
      [
        {FROZEN_MAX_VERIFICATIONS: '0', FROZEN_MAX_WAITING: 'many'},
        /^FROZEN_MAX_VERIFICATIONS "0" is not a whole number .*\nFROZEN_MAX_WAITING "many" is not .*\n$/,
      ],
      [{FROZEN_CLIENT_ADDRESS_HEADER: 'Forwarded'}, /^FROZEN_CLIENT_ADDRESS_HEADER "Forwarded" is not a header .*\n$/],
    ] as const) {
      const {code, err} = await runScript('start', ['--root', site.root], env);
      assert.equal(code, 2);
      assert.match(err, says);
    }
    await site.remove();
  });

  test('stops in order if the signal comes as soon as it listens', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    for (let start = 0; start < 6; start++) {
      const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
      await gate.url;
      gate.signal('SIGTERM');
      assert.equal(await gate.exitCode, 0);
    }
    await facilitator.stop();
    await site.remove();
  });

  test('completes a current purchase before it stops, and accepts no new one', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    facilitator.settle = 1_500;
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    const payment = await paymentFor(challenge, privateKeyToAccount(generatePrivateKey()));
    const buying = fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
    while (facilitator.submitted.length === 0) await sleep(10);
    gate.signal('SIGTERM');
    await sleep(200);
    await assert.rejects(fetch(url + path));
    const sold = await buying;
    assert.equal(sold.status, 200);
    assert.equal(await sold.text(), site.files.get(path));
    assert.equal(await gate.exitCode, 0);
    await facilitator.stop();
    await site.remove();
  });

  test('completes a purchase whose buyer disconnected before it stops', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    facilitator.verify = 1_500;
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    const payment = await paymentFor(challenge, privateKeyToAccount(generatePrivateKey()));
    const hangUp = new AbortController();
    const buying = fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}, signal: hangUp.signal});
    while (facilitator.asked === 0) await sleep(10);
    gate.signal('SIGTERM');
    hangUp.abort();
    await assert.rejects(buying);
    assert.equal(await gate.exitCode, 0);
    assert.equal(gate.written.err, `Listening on ${url}\n`);
    const ledger = await openLedger(site.root);
    assert.deepEqual(
      (await ledger.list({limit: 2})).map(({state}) => state),
      ['settled'],
    );
    await ledger.close();
    await facilitator.stop();
    await site.remove();
  });

  test('writes a line of JSON for each request, without queries, headers or payments', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const buyer = privateKeyToAccount(generatePrivateKey());
    const payment = await paymentFor(decoded(await fetch(`${url}${path}?token=hush`), 'PAYMENT-REQUIRED'), buyer);
    for (const value of [payment, payment])
      await (await fetch(url + path, {headers: {'PAYMENT-SIGNATURE': value}})).text();
    await (await fetch(`${url}/nowhere`)).text();
    gate.signal('SIGTERM');
    await gate.exitCode;
    const lines = gate.written.out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({method, path, status}) => [method, path, status]),
      [
        ['GET', path, 402],
        ['GET', path, 200],
        ['GET', path, 402],
        ['GET', '/nowhere', 404],
      ],
    );
    const {payer, transaction, nonce, ...sold} = lines[1] ?? {};
    assert.equal(payer, buyer.address);
    assert.ok(transaction);
    assert.match(String(nonce), /^0x[0-9a-f]{64}$/);
    const {sha256} = site.catalogue.products[0]?.paid ?? assert.fail();
    const known = {kind: 'paid', product: 'softfail3', price: '$0.02', network: testnet, sha256};
    assert.deepEqual({...sold, ...known}, sold);
    assert.deepEqual([lines[2]?.['reason'], lines[2]?.['nonce']], ['invalid_exact_evm_nonce_already_used', undefined]);
    assert.ok(lines.every(({time, ms}) => typeof ms === 'number' && !Number.isNaN(Date.parse(String(time)))));
    assert.ok(!gate.written.out.includes('hush'));
    assert.ok(!gate.written.out.includes(payment.slice(0, 40)));
    assert.equal(gate.written.err, `Listening on ${url}\n`);
    await facilitator.stop();
    await site.remove();
  });

  test('reports once, in one line, why payments fail, and that a document differs from its digest', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    const {host, port} = new URL(facilitator.url);
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const buyer = privateKeyToAccount(generatePrivateKey());
    const pay = async (payer = buyer) => {
      const payment = await paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), payer);
      return (await fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}})).status;
    };
    await facilitator.stop();
    assert.deepEqual([await pay(), await pay()], [503, 503]);
    const back = await startStandIn(Number(port));
    assert.equal(await pay(), 200);
    back.settle = 'garbage';
    assert.equal(await pay(), 503);
    await writeFile(join(site.root, 'public', path), '{}');
    const other = privateKeyToAccount(generatePrivateKey());
    assert.deepEqual([await pay(other), await pay(other)], [503, 503]);
    back.settle = 'good';
    await writeFile(join(site.root, 'public', path), site.files.get(path) ?? '');
    assert.equal(await pay(other), 200);
    await writeFile(join(site.root, 'public', path), '{}');
    assert.equal(await pay(other), 503);
    await writeFile(join(site.root, 'public', path), site.files.get(path) ?? '');
    assert.equal(await pay(other), 200);
    await rm(join(site.root, 'public', path));
    assert.equal(await pay(other), 503);
    gate.signal('SIGTERM');
    await gate.exitCode;
    const [, refused = '', garbled = '', differs = '', again = '', gone, ...others] = gate.written.err
      .trimEnd()
      .split('\n');
    assert.match(refused, new RegExp(`^The facilitator ${host} did not verify a payment: .*ECONNREFUSED`));
    assert.match(garbled, new RegExp(`^The facilitator ${host} did not settle a payment: `));
    assert.match(differs, /^\/api\/v1\/softfail3 is not sold, because .*build again/);
    assert.match(gone ?? '', /^\/api\/v1\/softfail3 is not sold, because it cannot be read \(ENOENT\)\. /);
    assert.deepEqual([again, others, back.submitted.length], [differs, [], 4]);
    await back.stop();
    await site.remove();
  });

  test('starts with a placeholder on a test network, and does not report malformed payments', async () => {
    const site = await fixtureSite(paid(testnet, ones));
    const gate = spawnGate(['--root', site.root, '--no-log'], {
      HOST: '',
      FROZEN_FACILITATOR_URL: '',
      FROZEN_RPC_URL: '',
      FROZEN_ADMIN_PORT: '',
    });
    const url = await gate.url;
    assert.match(url, /^http:\/\/127\.0\.0\.1:/, 'an empty variable counts as not set');
    for (const value of ['!!!', 'bnVsbA==', 'e30=', 'A'.repeat(9000)]) {
      const response = await fetch(url + path, {headers: {'PAYMENT-SIGNATURE': value}});
      assert.equal(response.status, 400);
    }
    gate.signal('SIGINT');
    assert.equal(await gate.exitCode, 0);
    assert.equal(gate.written.out, '');
    assert.match(
      gate.written.err,
      /^facilitator: facilitator\.example gives no usable answer to GET \/supported: [^\n]+\nListening on \S+\n$/,
    );
    await site.remove();
  });
});

function paid(network: string, pay_to: string): FixtureOptions {
  return {accepts: [{network, pay_to}]};
}
