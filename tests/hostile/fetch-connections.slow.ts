import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type RequestListener, type ServerResponse} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {afterEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {boundedFetch, type Bounds} from '../../shared/bounded-fetch.ts';
import {bomb, drip, endless} from './endless.ts';

const bounds = {maxBytes: 64 * 1024, timeoutMs: 30_000};
const impatient = {...bounds, timeoutMs: 300};
const body = '{"ä": 1}';
const post: RequestInit = {
  method: 'POST',
  headers: {'Content-Type': 'application/json'},
  body,
  redirect: 'follow',
};
const tooLarge = /^the answer is larger than 65536 bytes$/;
const tooLate = /^there was no whole answer within 0\.3 s$/;

const cases: readonly (readonly [what: string, answer: RequestListener, bounds: typeof impatient, fails: RegExp])[] = [
  ['an endless body', (_, to) => void endless(to), bounds, tooLarge],
  ['an endless body of an error', (_, to) => void endless(to.writeHead(500)), bounds, tooLarge],
  ['one byte too many', (_, to) => void to.write('x'.repeat(bounds.maxBytes + 1)), bounds, tooLarge],
  ['silence', () => undefined, impatient, tooLate],
  ['a part of a body', (_, to) => void to.write('x'), impatient, tooLate],
  ['a byte now and then', (_, to) => void drip(to), impatient, tooLate],
  ['a body that breaks off', breakOff, bounds, /./],
  ['a connection that is reset within a body', reset, bounds, /./],
  ['a connection that is reset immediately', ({socket}) => socket.resetAndDestroy(), bounds, /./],
  ['a server without HTTP', ({socket}) => socket.end('220 mail.example ESMTP\r\n'), bounds, /./],
  ['endless headers', ({socket}) => socket.end(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(50_000)}`), bounds, /./],
  [
    'another protocol',
    ({socket}) => socket.end('HTTP/1.1 101 Well\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    bounds,
    /./,
  ],
];

async function ask(url: string, init: RequestInit, within: Bounds) {
  const response = await boundedFetch(within)(url, init);
  return {status: response.status, headers: response.headers, text: await response.text()};
}

describe('boundedFetch over real connections', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  for (const [what, answer, within, fails] of cases)
    test(`rejects ${what}, and closes the connection`, async () => {
      const [url, left] = await serve(answer);
      await assert.rejects(ask(url, post, within), (error: Error) => fails.test(error.message));
      await left;
    });

  test('sends all of a request, and returns all of its response', async () => {
    const [url] = await serve((from, to) => {
      void text(from).then(body => to.writeHead(201, {Age: '7'}).end(`ü ${from.url} ${from.method} ${body}`));
    });
    const {status, headers, text: heard} = await ask(`${url}/there`, post, bounds);
    assert.deepEqual([status, headers.get('Age'), heard], [201, '7', `ü /there POST ${body}`]);
    assert.ok(Date.parse(headers.get('date') ?? '') > 0);
    const {text: got} = await ask(url, {method: 'GET', headers: {}, redirect: 'follow'}, bounds);
    assert.equal(got, 'ü / GET ');
  });

  test('accepts a response of exactly the maximum length, and one without a body', async () => {
    const [url] = await serve(({method}, to) => {
      if (method === 'GET') to.writeHead(204).end();
      else to.end('x'.repeat(bounds.maxBytes));
    });
    assert.equal((await ask(url, post, bounds)).text.length, bounds.maxBytes);
    const empty = await ask(url, {method: 'GET', headers: {}, redirect: 'follow'}, bounds);
    assert.deepEqual([empty.status, empty.text], [204, '']);
  });

  test('reads compressed responses', async () => {
    const [url] = await serve(({headers}, to) => {
      if (/gzip|^$/.test(headers['accept-encoding'] ?? '')) bomb(to);
      else to.end('plain');
    });
    const heard = await ask(url, post, bounds).then(
      ({text: words}) => words,
      (error: unknown) => String(error),
    );
    assert.match(heard, /^plain$|larger than/);
  });

  test('follows a redirect that keeps the method and the body, if redirects are allowed', async () => {
    const asked: string[] = [];
    const [url] = await serve((from, to) => {
      void text(from).then(body => {
        asked.push(`${from.url} ${body}`);
        if (from.url === '/old') to.writeHead(308, {Location: '/new'}).end();
        else to.end('here');
      });
    });
    assert.equal((await ask(`${url}/old`, post, bounds)).text, 'here');
    assert.equal(asked.at(-1), `/new ${body}`);
    asked.length = 0;
    assert.equal((await ask(`${url}/old`, {...post, redirect: 'manual'}, bounds)).status, 308);
    assert.deepEqual(asked, [`/old ${body}`]);
  });

  test('does not repeat a POST after a redirect with status 303', async () => {
    const posted: string[] = [];
    const [url] = await serve((from, to) => {
      if (from.method === 'POST') posted.push(String(from.url));
      if (from.url === '/settle') to.writeHead(303, {Location: '/result'}).end();
      else to.end('here');
    });
    await ask(`${url}/settle`, post, bounds);
    assert.deepEqual(posted, ['/settle']);
  });

  test('reuses a connection, unless the server may have closed it', async () => {
    let connections = 0;
    const [url] = await serve(
      (_, to) => to.end('x'),
      () => (connections += 1),
    );
    for (let time = 0; time < 9; time++) await ask(url, post, bounds);
    const before = connections;
    assert.ok(before < 3, String(before));
    await sleep(4_600);
    await ask(url, post, bounds);
    assert.equal(connections, before + 1);
  });

  test('reports why it could not connect', async () => {
    const [url] = await serve(() => undefined);
    for (const end of ends.splice(0)) await end();
    await assert.rejects(ask(url, post, bounds), (error: Error) => {
      const fault = error.cause instanceof Error ? error.cause : error;
      return 'code' in fault && fault.code === 'ECONNREFUSED';
    });
  });

  /** The address of a server, and a promise that resolves when its first connection has closed. */
  async function serve(answer: RequestListener, connected: () => unknown = () => undefined) {
    const server = createServer({keepAliveTimeout: 5_000}, answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const left = new Promise(resolve =>
      server.on('connection', (socket: Socket) => {
        connected();
        socket.on('error', () => undefined).once('close', resolve);
      }),
    );
    ends.push(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, left] as const;
  }
});

function breakOff(_: IncomingMessage, to: ServerResponse): void {
  to.writeHead(200, {'Content-Length': '1000'}).write('x');
  setTimeout(() => to.destroy(), 20);
}

function reset({socket}: IncomingMessage, to: ServerResponse): void {
  to.writeHead(200, {'Content-Length': '1000'}).write('x');
  setTimeout(() => socket.resetAndDestroy(), 20);
}
