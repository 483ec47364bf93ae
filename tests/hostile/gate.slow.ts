import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {createServer, type ServerResponse} from 'node:http';
import {connect, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {text as textOf} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {gracefulClose} from '../../paywall/hosts/graceful-close.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {answerRefused} from '../../paywall/hosts/refused-requests.ts';
import type {AccessLine} from '../../paywall/http/access-log.ts';
import {fixtureSite, type FixtureSite} from '../paywall/fixture-site.ts';
import {encoded, forge, type Forgery} from '../paywall/forge.ts';
import {spawnGate, type GateProcess} from '../paywall/gate-process.ts';
import {decoded} from '../paywall/hand-made.ts';
import {rawExchange} from '../paywall/raw-exchange.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {startWorkerGate} from '../paywall/worker-gate.ts';
import {bomb, drip, endless} from './endless.ts';
import {flood, latencies, peakMemory} from './flood.ts';

const MIB = 1024 * 1024;
const paid = '/api/v1/softfail3';
const sample = '/api/v1/samples/softfail3.json';
const large = '/large.json';
const MOST_MEMORY = 300 * MIB;
/**
 * Generous, because a machine that runs other tests is slow. Without limits an honest client waits for half a minute.
 */
const MOST_MS = 5_000;

const head = (line: string, ...fields: string[]) => [line, 'Host: a', ...fields, '', ''].join('\r\n');
const floods = {
  'a large file': head(`GET ${large} HTTP/1.1`),
  'a large file, compressed': head(`GET ${large} HTTP/1.1`, 'Accept-Encoding: gzip'),
  'the head of a large file': head(`HEAD ${large} HTTP/1.1`),
  'a paid document': head(`GET ${paid} HTTP/1.1`),
  'a paid document, with an invalid payment': head(`GET ${paid} HTTP/1.1`, `PAYMENT-SIGNATURE: ${'A'.repeat(200)}`),
  'a preflight': head(`OPTIONS ${paid} HTTP/1.1`),
  'an unknown method, with a body': `${head('POST / HTTP/1.1', 'Content-Length: 4')}\r\n\r\n`,
  'an unsupported expectation': head('GET / HTTP/1.1', 'Expect: x'),
  'blank lines': '\r\n'.repeat(20),
};

describe('connections that pipeline two thousand requests each and read no answer', () => {
  let site: FixtureSite;
  let gate: GateProcess;

  before(async () => {
    site = await siteWithLargeFile();
    gate = spawnGate(['--root', site.root]);
  });
  after(async () => {
    gate.signal('SIGKILL');
    await gate.exitCode;
    await site.remove();
  });

  for (const [what, request] of Object.entries(floods)) {
    test(`do not delay other clients or fill the memory with ${what}`, {timeout: 180_000}, async t => {
      const url = await gate.url;
      const waiting = await flood(url, 40, request.repeat(2_000));
      const took = await latencies(url + sample, 40);
      const memory = await peakMemory(gate.pid);
      waiting.stop();
      t.diagnostic(`slowest ${Math.round(took.at(-1) ?? 0)} ms, ${Math.round(memory / MIB)} MiB`);
      assert.ok((took.at(-1) ?? 0) < MOST_MS, `an honest client waits ${took.at(-1)} ms`);
      assert.ok(memory < MOST_MEMORY, `${memory} bytes`);
    });
  }
});

describe('a connection that pipelines', () => {
  let site: FixtureSite;
  let gate: GateProcess;

  before(async () => {
    site = await fixtureSite();
    gate = spawnGate(['--root', site.root]);
  });
  after(async () => {
    gate.signal('SIGTERM');
    await gate.exitCode;
    await site.remove();
  });

  const requests = [
    head(`GET ${sample} HTTP/1.1`),
    head(`GET ${paid} HTTP/1.1`),
    `${head('POST / HTTP/1.1', 'Content-Length: 9')}a\r\n\r\nb\r\n\r\n`.slice(0, -1),
    `${head('PUT / HTTP/1.1', 'Transfer-Encoding: chunked')}3\r\n\r\n\r\r\n0\r\n\r\n`,
    head('GET /nowhere HTTP/1.1'),
    head(`HEAD ${sample} HTTP/1.1`),
  ];
  const statuses = [200, 402, 405, 405, 404, 200];

  for (const size of [1, 2, 3, 7, 50, 1_000_000]) {
    test(`gets every answer in order when it sends ${size} bytes at a time`, async () => {
      const {hostname, port} = new URL(await gate.url);
      const socket = connect({host: hostname, port: Number(port), noDelay: true});
      let answer = '';
      socket.on('data', chunk => (answer += chunk.toString('latin1')));
      const bytes = requests.join('').repeat(size < 50 ? 1 : 20);
      for (let start = 0; start < bytes.length; start += size) {
        socket.write(bytes.slice(start, start + size), 'latin1');
        if (size < 50) await new Promise(resolve => setImmediate(resolve));
      }
      const expected = Array.from({length: size < 50 ? 1 : 20}, () => statuses).flat();
      while (statusesIn(answer).length < expected.length) await once(socket, 'data');
      assert.deepEqual(statusesIn(answer), expected);
      socket.destroy();
    });
  }

  test('gets all responses if it ends its side after the requests', async () => {
    const answer = await rawExchange(await gate.url, requests.join(''));
    assert.deepEqual(statusesIn(answer), statuses);
  });
});

test('a client that reads slowly does not keep a server from stopping', {timeout: 20_000}, async () => {
  const server = createServer((_, response) => response.end(Buffer.alloc(64 * MIB))).listen(0, '127.0.0.1');
  const close = gracefulClose(server, 300);
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.write(head('GET / HTTP/1.1'));
  await once(reader, 'readable');
  const reading = setInterval(() => void reader.read(1000), 50);
  await close();
  clearInterval(reading);
  reader.destroy();
});

type Hostile = (to: ServerResponse) => void;
const facilitators: Readonly<Record<string, Hostile>> = {
  'an endless response': to => void endless(to.writeHead(200, {'Content-Type': 'application/json'})),
  'an endless error': to => void endless(to.writeHead(400)),
  'a gibibyte in a mebibyte of gzip': bomb,
  'a byte now and then': to => void drip(to),
  'the beginning of a valid response': to => void to.write('{"success":true,"isValid":true'),
  'a large valid response': to =>
    to.end(JSON.stringify({isValid: true, success: true, transaction: '', extra: {x: 'x'.repeat(MIB)}})),
};
const unavailable = {verify: /charges nothing/, settle: /outcome of this payment is not known/} as const;

describe('a facilitator that sends endless or slow responses', {concurrency: 7}, () => {
  let site: FixtureSite;
  let hostile: Awaited<ReturnType<typeof startHostileFacilitator>>;
  let gate: GateProcess;

  before(async () => {
    [site, hostile] = [await fixtureSite(), await startHostileFacilitator()];
    gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: hostile.url});
  });
  after(async () => {
    gate.signal('SIGKILL');
    await gate.exitCode;
    await hostile.stop();
    await site.remove();
  });

  for (const [what, answer] of Object.entries(facilitators)) {
    for (const operation of ['verify', 'settle'] as const) {
      test(`counts as unavailable if it sends ${what} to /${operation}`, {timeout: 60_000}, async () => {
        const response = await buy(await gate.url, {}, hostile.buyer(operation, answer));
        assert.equal(response.status, 503);
        assert.match(await response.text(), unavailable[operation]);
        assert.ok((await peakMemory(gate.pid)) < MOST_MEMORY);
      });
    }
  }

  for (const operation of ['verify', 'settle'] as const) {
    test(`counts as unavailable in workerd if it sends an endless response to /${operation}`, async () => {
      const worker = await startWorkerGate(site, hostile.url);
      const response = await buy(
        worker.url,
        {},
        hostile.buyer(operation, to => void endless(to)),
      );
      assert.equal(response.status, 503);
      assert.match(await response.text(), unavailable[operation]);
      await worker.stop();
    });
  }
});

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
const tooLate = 'invalid_exact_evm_payload_authorization_valid_before_too_late';
const beyondBounds: Readonly<Record<string, [forgery: () => Forgery, reason: string]>> = {
  'for an hour': [() => ({authorization: {validBefore: inSeconds(3_600)}}), tooLate],
  'for a second more than the slack': [() => ({authorization: {validBefore: inSeconds(300 + 62)}}), tooLate],
  'for ever': [() => ({authorization: {validBefore: String(2n ** 256n - 1n)}}), tooLate],
  'for ever, with zeros in front': [() => ({authorization: {validBefore: '9'.repeat(60).padStart(78, '0')}}), tooLate],
  'for ever, in 78 digits': [() => ({tampered: {validBefore: '9'.repeat(78)}}), tooLate],
  'for ever, in 79 digits': [() => ({tampered: {validBefore: '9'.repeat(79)}}), 'invalid_payload'],
  'from a time of 79 digits': [() => ({tampered: {validAfter: '0'.repeat(79)}}), 'invalid_payload'],
  'with a value of 79 digits': [() => ({tampered: {value: '20000'.padStart(79, '0')}}), 'invalid_payload'],
  'with a nonce of 33 bytes': [() => ({tampered: {nonce: `0x${'ab'.repeat(33)}`}}), 'invalid_payload'],
  'from an address of 21 bytes': [() => ({tampered: {from: `0x${'ab'.repeat(21)}`}}), 'invalid_payload'],
  'with a signature of five kilobytes': [() => ({payload: {signature: `0x${'ab'.repeat(5_000)}`}}), 'invalid_payload'],
};

describe('a payment that is valid', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: GateProcess;

  before(async () => {
    site = await fixtureSite();
    facilitator = await startStandIn();
    gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
  });
  after(async () => {
    gate.signal('SIGTERM');
    await gate.exitCode;
    await facilitator.stop();
    await site.remove();
  });

  for (const [what, [forgery, reason]] of Object.entries(beyondBounds)) {
    test(`${what} is refused with the reason, and nothing is charged`, async () => {
      const response = await buy(await gate.url, forgery());
      assert.equal(response.status, reason === 'invalid_payload' ? 400 : 402);
      assert.equal(decoded(response, 'PAYMENT-REQUIRED').error, reason);
      assert.deepEqual(facilitator.submitted, []);
    });
  }

  test('for the required time, by a clock that is a little ahead, buys', async () => {
    assert.equal((await buy(await gate.url, {authorization: {validBefore: inSeconds(300 + 30)}})).status, 200);
  });
});

const refused: Readonly<Record<string, [request: string, method: string, path: string, status: number]>> = {
  'a malformed Host': ['GET /a?b HTTP/1.1\r\nHost: a b\r\n\r\n', 'GET', '/a', 400],
  'no Host': ['GET /a HTTP/1.1\r\n\r\n', 'GET', '/a', 400],
  'a malformed target': [head('GET http://[ HTTP/1.1'), 'GET', 'http://[', 400],
  'a password in the target': [head('GET http://a:hush@[ HTTP/1.1'), 'GET', 'http://[', 400],
  'headers that are too large': [head('GET /a?b HTTP/1.1', `X: ${'x'.repeat(40_000)}`), 'GET', '/a', 431],
  'no HTTP': ['hello\r\n\r\n', '-', '-', 400],
  'bytes that are not text': ['\x16\x03\x01\x00\xff\r\n\r\n', '-', '-', 400],
  'two lengths': [head('GET /a?b HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'), 'GET', '/a', 400],
  'an unsupported expectation': [head('GET /a?b HTTP/1.1', 'Expect: x'), 'GET', '/a', 417],
  'a tunnel': ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT', 'a:443', 405],
};

describe('a request that is refused before it reaches the gate', () => {
  for (const [what, [request, method, path, status]] of Object.entries(refused)) {
    test(`is logged: ${what}`, async () => {
      const [site, lines] = [await fixtureSite(), [] as AccessLine[]];
      const gate = await serveSite(await openSite(site.root), {
        port: 0,
        host: '127.0.0.1',
        ledger: await openSqlite(':memory:'),
        log: line => lines.push(line),
        onError: error => assert.fail(error),
      });
      assert.deepEqual(statusesIn(await rawExchange(gate.url, request)), [status]);
      assert.deepEqual(lines.map(loggedRequest), [{method, path, status}]);
      await gate.stop();
      await site.remove();
    });
  }

  test('is logged: a head that never ends', async () => {
    const lines: AccessLine[] = [];
    const server = createServer({headersTimeout: 100, connectionsCheckingInterval: 50}).listen(0, '127.0.0.1');
    answerRefused(server, line => lines.push(line));
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.deepEqual(statusesIn(await rawExchange(url, 'GET /a HTTP/1.1\r\n')), [408]);
    assert.deepEqual(lines.map(loggedRequest), [{method: '-', path: '-', status: 408}]);
    server.close();
  });
});

function loggedRequest(line: AccessLine) {
  const {method, path, status, kind} = line;
  assert.ok(!JSON.stringify(line).includes('hush'));
  assert.equal(kind, 'unknown');
  return {method, path, status};
}

function statusesIn(answer: string): number[] {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
}

/** A site with eight megabytes that do not compress well. */
async function siteWithLargeFile(): Promise<FixtureSite> {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const text = JSON.stringify({rows: Array.from({length: 120_000}, (_, row) => hash(String(row)))});
  const listed = {sha256: hash(text), bytes: Buffer.byteLength(text)};
  const site = await fixtureSite({
    alter: ({catalogue}) => catalogue.files.push({path: large, type: 'application/json; charset=utf-8', ...listed}),
  });
  await writeFile(join(site.root, 'public', large), text);
  return site;
}

/** Starts a facilitator that is hostile in one operation, another one for each buyer, and works in the other. */
async function startHostileFacilitator() {
  const answers = new Map<string, readonly [operation: string, answer: Hostile]>();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void textOf(request).then(body => {
      const [, payer = ''] = /"from":"(0x\w{40})"/.exec(body) ?? [];
      const [operation, answer] = answers.get(payer.toLowerCase()) ?? [];
      if (answer && request.url === `/${operation}`) answer(response);
      else response.end(JSON.stringify({isValid: true}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** A new buyer, to whose payments it is hostile in this operation. */
    buyer(operation: 'verify' | 'settle', answer: Hostile): PrivateKeyAccount {
      const account = privateKeyToAccount(generatePrivateKey());
      answers.set(account.address.toLowerCase(), [operation, answer]);
      return account;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function buy(
  url: string,
  forgery?: Forgery,
  buyer = privateKeyToAccount(generatePrivateKey()),
): Promise<Response> {
  const challenge = decoded(await fetch(url + paid), 'PAYMENT-REQUIRED');
  const payment = await forge(challenge, buyer, forgery);
  return fetch(url + paid, {headers: {'PAYMENT-SIGNATURE': encoded(payment)}});
}
