import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import type {RequestListener} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {nodeAt} from '../shared/evm/node.ts';
import {askerOf} from '../buyer/buy/ask.ts';
import {complaintIn} from '../scripts/programs/command.ts';
import {workerAt} from '../scripts/sales/from-worker.ts';
import {chainNodeAt as reconciledNodeAt} from '../scripts/sales/reconcile/node.ts';
import {stampBy} from '../scripts/witness/witness.ts';
import {errorMessage, errorStack} from '../shared/error-message.ts';
import {rawServer} from './scripts/raw-server.ts';
import {startHttps} from './scripts/https-host.ts';

const KEY = '/v2/SECRET?key=SECRET';

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => assert.fail(),
    (cause: unknown) => cause as Error,
  );
}

test('an error of an unavailable node is printed without the key in its address', async () => {
  const error = await rejection(nodeAt(`http://127.0.0.1:1${KEY}`).getBlockNumber());
  const wrapped = new Error('The chain cannot be read', {cause: error});
  assert.match(error.stack ?? '', /SECRET/, 'the whole error shows the key');
  for (const message of [errorStack(error), errorStack(wrapped), errorMessage(wrapped)]) {
    assert.doesNotMatch(message, /SECRET/);
    assert.match(message, /HTTP request failed: connect ECONNREFUSED|HTTP request failed: bad port/);
  }
  assert.match(errorStack(error), /\n +at /);
});

for (const [what, answer, says] of [
  ['a status', (_, response) => response.writeHead(401).end('who are you?'), 'HTTP request failed: status 401: '],
  [
    'an error of the protocol',
    (_, response) =>
      response.writeHead(200, {'Content-Type': 'application/json'}).end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 0,
          error: {code: -32603, message: `no\nfunds at https://a.example${KEY}`},
        }),
      ),
    'An internal error was received: no funds at https://a.example',
  ],
] as readonly (readonly [string, RequestListener, string])[])
  test(`an error of a node that answers ${what} has its message once, without a key`, async () => {
    await using server = await rawServer(answer);
    const message = errorMessage(await rejection(nodeAt(server.url + KEY).getBlockNumber()));
    assert.ok(message.startsWith(says), message);
    assert.doesNotMatch(message, /SECRET/);
    assert.equal(message.split('no funds').length <= 2, true, message);
  });

test('an error of TLS has its reason and its code, without the line in the source of OpenSSL', async () => {
  await using server = await rawServer((_, response) => response.end());
  const error = await rejection(fetch(server.url.replace('http:', 'https:')));
  assert.equal(errorMessage(error), 'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)');
});

test('an error has its causes, their codes once, and no invisible characters', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:9'), {code: 'ECONNREFUSED'});
  for (const [error, message] of [
    [
      Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), {code: 'ENOTFOUND'}),
      'the host name a.example is unknown (ENOTFOUND)',
    ],
    [new TypeError('fetch failed', {cause: refused}), 'connect ECONNREFUSED ::1:9'],
    [new TypeError('fetch failed'), 'fetch failed'],
    [Object.assign(new AggregateError([refused], ''), {code: 'ECONNREFUSED'}), 'ECONNREFUSED'],
    [Object.assign(new Error('no such table'), {code: '42P01'}), 'no such table (42P01)'],
    [new Error('Not read.', {cause: new Error('a\u202eb\n c')}), 'Not read: a\\u202eb c'],
    [new Error("Cannot find module 'file:///srv/a.js'"), "Cannot find module 'file:///srv/a.js'"],
    [Object.assign(new Error('no code'), {code: undefined}), 'no code'],
    ['thrown text', 'thrown text'],
  ] as const)
    assert.equal(errorMessage(error), message);
});

test('a certificate of an unknown issuer names NODE_EXTRA_CA_CERTS', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'error-message-'));
  t.after(() => rm(folder, {recursive: true}));
  await using host = await startHttps((_, response) => response.end(), folder);
  const {origin} = host;
  const {message} = await rejection(nodeAt(origin).getChainId());
  assert.doesNotMatch(message, /NODE_EXTRA_CA_CERTS/);
  const requests: Record<string, () => Promise<unknown>> = {
    'the node of a gate': () =>
      nodeAt(origin)
        .getChainId()
        .catch((cause: unknown) => Promise.reject(new Error(errorMessage(cause)))),
    'the node of sales --reconcile': () => reconciledNodeAt(origin).network(),
    'the Worker of sales': () => workerAt(origin, {FROZEN_SALES_TOKEN: 'token'}).withKey('key'),
    'the authority of witness': () => stampBy(origin, 'ab'.repeat(32), Buffer.of(1)),
    'the site of buy': () => askerOf(origin, fetch)('/', {maxBytes: 1}),
  };
  for (const [name, request] of Object.entries(requests))
    assert.match(
      (await rejection(request())).message,
      /[^:]: the issuer of the TLS certificate is unknown.* NODE_EXTRA_CA_CERTS/,
      name,
    );
});

test('the complaint of wrangler includes the cause on its next line', () => {
  const failed = '\u001b[31m✘ \u001b[41;97mERROR\u001b[0m A request to the Cloudflare API (/accounts/1) failed.';
  const logs = '🪵  Logs were written to "/tmp/wrangler.log"';
  for (const [err, complaint] of [
    [
      `${failed}\n\n  Authentication error [code: 10000]\n\n\n${failed}\n`,
      'failed: Authentication error [code: 10000]',
    ],
    [`${failed}\n\n\n${logs}\n`, 'failed'],
    [`${failed}\n${failed}\n`, 'failed'],
  ] as const)
    assert.equal(
      complaintIn({ok: false, out: '', err}),
      `✘ ERROR A request to the Cloudflare API (/accounts/1) ${complaint}`,
    );
  assert.equal(complaintIn({ok: false, out: 'one\nlast.\n', err: ''}), 'last');
  assert.equal(complaintIn({ok: false, out: '', err: 'fatal: no.\nmore\n'}), 'fatal: no');
  assert.equal(complaintIn({ok: false, out: '', err: ''}), 'failed without a message');
});
