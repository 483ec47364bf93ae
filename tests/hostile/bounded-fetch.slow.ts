import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type RequestListener, type ServerResponse} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {afterEach, describe, test} from 'node:test';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {bomb, drip, endless} from './endless.ts';

const MIB = 1024 * 1024;
const bounds = {maxBytes: 64 * 1024, timeoutMs: 30_000};
const impatient = {maxBytes: MIB, timeoutMs: 300};

interface Case {
  readonly what: string;
  readonly answer: RequestListener;
  readonly bounds: typeof bounds;
  readonly fails: RegExp;
}

const tooLarge = /^the answer is larger than 65536 bytes$/;
const tooLate = /^there was no whole answer within 0\.3 s$/;
const cases: readonly Case[] = [
  {what: 'an endless body', answer: (_, to) => void endless(to), bounds, fails: tooLarge},
  {what: 'an endless body of an error', answer: (_, to) => void endless(to.writeHead(500)), bounds, fails: tooLarge},
  {what: 'a length beyond the bound', answer: (_, to) => to.end('x'.repeat(MIB)), bounds, fails: tooLarge},
  {what: 'one byte too many', answer: (_, to) => to.end('x'.repeat(64 * 1024 + 1)), bounds, fails: tooLarge},
  {
    what: 'a gzip bomb',
    answer: (_, to) => {
      bomb(to);
    },
    bounds,
    fails: tooLarge,
  },
  {what: 'silence', answer: () => undefined, bounds: impatient, fails: tooLate},
  {what: 'headers and no body', answer: headersAlone, bounds: impatient, fails: tooLate},
  {what: 'a byte now and then', answer: (_, to) => void drip(to), bounds: impatient, fails: tooLate},
  {
    what: 'an invalid gzip body after its headers',
    answer: brokenGzip,
    bounds: impatient,
    // Node 20 often does not notice it.
    fails: /^(there was no whole answer within 0\.3 s|terminated)$/,
  },
  {what: 'redirects without end', answer: again, bounds: impatient, fails: /./},
  {what: 'an unknown status', answer: (_, to) => void to.writeHead(999).end('x'), bounds, fails: /status 999/},
  {what: 'a body that breaks off', answer: breakOff, bounds, fails: /./},
];

describe('a bounded fetch', () => {
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  for (const {what, answer, bounds, fails} of cases) {
    test(`rejects ${what} with a TypeError, uses little memory, and closes the connection`, async () => {
      const [url, left] = await serve(answer);
      const before = process.memoryUsage().rss;
      await assert.rejects(
        async () => (await boundedFetch(bounds)(url)).text(),
        (error: unknown) => error instanceof TypeError && fails.test(error.message),
      );
      assert.ok(process.memoryUsage().rss - before < 100 * MIB);
      await left;
    });
  }

  test('returns a response within its limits unchanged', async () => {
    const [url] = await serve((_, to) => {
      to.writeHead(201, 'Well', {'Content-Type': 'application/json', 'X-Told': 'yes'}).end('{"a": 1}');
    });
    const response = await boundedFetch(bounds)(`${url}/there`, {method: 'POST', body: 'x'});
    const {status, statusText, headers, redirected} = response;
    assert.deepEqual([status, statusText, headers.get('X-Told'), redirected], [201, 'Well', 'yes', false]);
    assert.equal(response.url, `${url}/there`);
    assert.deepEqual(await response.json(), {a: 1});
  });

  test('accepts a response of exactly the maximum length, and one without a body', async () => {
    const [url] = await serve(({method}, to) => {
      if (method === 'DELETE') to.writeHead(204).end();
      else to.end('x'.repeat(bounds.maxBytes));
    });
    const bounded = boundedFetch(bounds);
    assert.equal((await (await bounded(url)).arrayBuffer()).byteLength, bounds.maxBytes);
    assert.equal((await bounded(url, {method: 'DELETE'})).status, 204);
    assert.equal(await (await bounded(url, {method: 'HEAD'})).text(), '');
  });

  test('is aborted by a signal, given directly or in a request, and when its body is cancelled', async () => {
    const [url] = await serve((_, to) => void drip(to));
    for (const arm of [
      (signal: AbortSignal) => boundedFetch(bounds)(url, {signal}),
      (signal: AbortSignal) => boundedFetch(bounds)(new Request(url, {signal})),
    ]) {
      const response = await arm(AbortSignal.timeout(200));
      await assert.rejects(response.text(), {name: 'TimeoutError'});
    }
    const [other, left] = await serve((_, to) => void drip(to));
    await (await boundedFetch(bounds)(other)).body?.cancel();
    await left;
  });

  test('leaves no listener on its signal, because Node keeps a signal with a listener in memory', async () => {
    const [url] = await serve((_, to) => to.end('x'));
    const signals: (AbortSignal | null | undefined)[] = [];
    const ask: typeof fetch = (input, init) => {
      signals.push(init?.signal);
      return fetch(input, init);
    };
    const response = await boundedFetch(bounds, ask)(url, {signal: new AbortController().signal});
    assert.equal(typeof signals[0]?.onabort, 'function');
    assert.equal(await response.text(), 'x');
    assert.equal(signals[0]?.onabort, null);
  });

  /** The address of a server, and a promise that resolves when its first connection has closed. */
  async function serve(answer: RequestListener): Promise<[string, Promise<unknown>]> {
    const server = createServer({keepAliveTimeout: 100}, answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const left = new Promise(resolve => server.once('connection', (socket: Socket) => socket.once('close', resolve)));
    ends.push(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, left];
  }
});

function headersAlone(_: IncomingMessage, to: ServerResponse): void {
  to.flushHeaders();
}

/** Node 20 never ends such a body if it arrives after its headers. */
function brokenGzip(_: IncomingMessage, to: ServerResponse): void {
  to.writeHead(200, {'Content-Encoding': 'gzip', 'Content-Length': '1000'}).flushHeaders();
  setTimeout(() => to.end('x'.repeat(1000)), 20);
}

function again({url}: IncomingMessage, to: ServerResponse): void {
  setTimeout(() => to.writeHead(302, {Location: `${url ?? ''}x`}).end(), 20);
}

function breakOff(_: IncomingMessage, to: ServerResponse): void {
  to.writeHead(200, {'Content-Length': '1000'});
  to.write('x');
  setTimeout(() => to.destroy(), 20);
}
