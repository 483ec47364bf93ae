import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {spawnGate} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startStandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';

describe('the gate as a process', () => {
  test('reads limits and the header with the address of the client from the environment, and writes a line for each request', async () => {
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
      const payment = await paymentFor(challenge, newKey());
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
    const lines = gate.written.out
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as {status: number}).status);
    assert.deepEqual(
      lines.toSorted((a, b) => a - b),
      [200, 200, 402, 503],
    );
    await facilitator.stop();
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

  test('completes current purchases and ends with a failure code if its log is no longer read', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    facilitator.settle = 1_500;
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const payment = await paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), newKey());
    const buying = fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
    while (facilitator.submitted.length === 0) await sleep(10);
    gate.closeOutput();
    await (await fetch(url + path)).text();
    assert.equal(await (await buying).text(), site.files.get(path));
    assert.equal(await gate.exitCode, 1);
    assert.deepEqual(await statesIn(site), ['delivered']);
    await facilitator.stop();
    await site.remove();
  });

  test('completes a purchase whose buyer disconnected before it stops', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    facilitator.verify = 1_500;
    const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
    const url = await gate.url;
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    const payment = await paymentFor(challenge, newKey());
    const hangUp = new AbortController();
    const buying = fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}, signal: hangUp.signal});
    while (facilitator.asked === 0) await sleep(10);
    gate.signal('SIGTERM');
    hangUp.abort();
    await assert.rejects(buying);
    assert.equal(await gate.exitCode, 0);
    assert.equal(gate.written.err, `Listening on ${url}\n`);
    assert.deepEqual(await statesIn(site), ['settled']);
    await facilitator.stop();
    await site.remove();
  });

  test('serves health and metrics on another port, which closes with the gate', async () => {
    const [site, facilitator] = [await fixtureSite(), await startStandIn()];
    const env = {FROZEN_FACILITATOR_URL: facilitator.url};
    const gate = spawnGate(['--root', site.root, '--admin-port', '0'], env);
    const url = await gate.url;
    const text = async (address: string) => {
      const response = await fetch(address);
      return [response.status, ...response.headers.keys(), await response.text()];
    };
    const unknown = await text(`${url}/unknown`);
    assert.equal(unknown[0], 404);
    for (const name of ['/healthz', '/metrics']) assert.deepEqual(await text(url + name), unknown);
    const [, admin = ''] =
      /^Health and metrics on (http:\/\/127\.0\.0\.1:\d+)\nListening on \S+\n$/.exec(gate.written.err) ?? [];
    assert.equal((await fetch(admin + path)).status, 404);
    assert.match(await (await fetch(`${admin}/metrics`)).text(), /^frozen_answers_total\{.*status="404"\} 3$/m);
    gate.signal('SIGTERM');
    assert.equal(await gate.exitCode, 0);
    await assert.rejects(fetch(`${admin}/healthz`));
    await facilitator.stop();
    await site.remove();
  });

  test('starts with a placeholder on a test network, and does not report malformed payments', async () => {
    const site = await fixtureSite({accepts: [{network: 'eip155:84532', pay_to: `0x${'1'.repeat(40)}`}]});
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

const newKey = () => privateKeyToAccount(generatePrivateKey());

/** The states of all sales of a gate that has ended. */
async function statesIn({root}: FixtureSite): Promise<string[]> {
  const ledger = await openLedger(root);
  const sales = await ledger.list({limit: 10});
  await ledger.close();
  return sales.map(({state}) => state);
}
