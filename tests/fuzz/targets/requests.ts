import assert from 'node:assert/strict';
import {connect} from 'node:net';
import fc from 'fast-check';
import {canary, fixtureSite} from '../../paywall/fixture-site.ts';
import {gateProcess} from '../../scripts/gate-process.ts';
import type {Target} from '../target.ts';

const PATHS = ['/', '/api/v1/softfail3', '/api/v1/samples/softfail3.json', '/api/v1/index.json', '//api/v1/softfail3', '/api/v1/%73oftfail3', '/api/v1/softfail3/', '/API/V1/softfail3', '/api/v1/./softfail3', '/api/v1/x/../softfail3', '/api/v1/softfail3%00', 'http://snapshots.example/api/v1/softfail3', '*', '/api\\v1\\softfail3', '/%']; // prettier-ignore
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'get', 'CONNECT', 'TRACE', 'PRI', 'G ET', ''];
const HEADERS = ['Host: a', 'Host:', 'Host: a b', 'Connection: close', 'Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked, identity', 'Range: bytes=0-', 'Range: bytes=-1,9-', 'If-None-Match: *', 'If-None-Match: W/"', 'If-Modified-Since: x', 'Accept: text/html', 'Accept: ;q=', 'Accept-Encoding: gzip;q=2, br', 'Expect: 100-continue', 'Expect: x', 'X-Original-URL: /api/v1/softfail3', 'X-HTTP-Method-Override: GET', 'PAYMENT-SIGNATURE: e30=', 'PAYMENT-SIGNATURE: %', 'X-PAYMENT: e30=', 'Origin: null', 'Cookie: a=\x80', ': x', 'a', 'A\x00: b']; // prettier-ignore
const bytes = fc.uint8Array({maxLength: 60}).map(all => Buffer.from(all).toString('latin1'));
const payment = fc.json().map(json => `PAYMENT-SIGNATURE: ${Buffer.from(json).toString('base64')}`);
const header = fc.oneof({weight: 6, arbitrary: fc.constantFrom(...HEADERS)}, payment, bytes);
const path = fc.oneof({weight: 4, arbitrary: fc.constantFrom(...PATHS)}, bytes, fc.webPath());
const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r', '');
const request = fc
  .tuple(
    fc.constantFrom(...METHODS),
    path,
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1x', ''),
    fc.array(header, {maxLength: 6}),
    end,
    fc.oneof(fc.constant(''), bytes, fc.constant('5\r\nabcde\r\n0\r\n\r\n')),
  )
  .map(
    ([method, target, version, headers, lineEnd, body]) =>
      `${[`${method} ${target} ${version}`, ...headers].join(lineEnd)}${lineEnd}${lineEnd}${body}`,
  );
const stream = fc.oneof(
  {weight: 8, arbitrary: fc.array(request, {minLength: 1, maxLength: 4}).map(all => all.join(''))},
  bytes,
);

/** For any bytes, the gate continues, has no internal errors, and reveals no paid document. */
export default {
  name: 'requests',
  async open() {
    const site = await fixtureSite();
    const gate = await gateProcess(site.root);
    const property = fc.asyncProperty(fc.array(stream, {minLength: 1, maxLength: 8}), async streams => {
      const answers = await Promise.all(streams.map(one => exchange(gate.url, one)));
      for (const answer of answers) {
        assert.doesNotMatch(answer, /^HTTP\/1\.[01] 500/m);
        assert.ok(!answer.includes(canary), 'a paid document was revealed');
      }
      assert.equal((await fetch(`${gate.url}/api/v1/index.json`, {signal: AbortSignal.timeout(20_000)})).status, 200);
    });
    return {
      property,
      async [Symbol.asyncDispose]() {
        await gate[Symbol.asyncDispose]();
        await site.remove();
      },
    };
  },
} satisfies Target;

/** A server that is silent for this time waits for more bytes. */
const QUIET_MS = 150;

/** Sends bytes, and returns the response until the server closes the connection or is silent. */
function exchange(url: string, sent: string): Promise<string> {
  const {hostname, port} = new URL(url);
  return new Promise(resolve => {
    let answer = '';
    const socket = connect({host: hostname, port: Number(port)});
    socket.setTimeout(QUIET_MS, () => socket.destroy());
    socket.on('data', chunk => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined); // a reset is also a response
    socket.on('close', () => {
      resolve(answer);
    });
    socket.write(Buffer.from(sent, 'latin1'));
  });
}
