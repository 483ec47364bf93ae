import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {test} from 'node:test';
import {Examiner} from '../../buyer/verify/examiner.ts';
import {EXAMPLE} from '../example/example.ts';
import {gateProcess} from './gate-process.ts';
import {inFrontOf, rawServer, type Answering} from './raw-server.ts';
import {runScript} from './script-run.ts';

const json = {'content-type': 'application/json; charset=utf-8', 'cache-control': 'max-age=1'};
const escape = '\u001b[2J\u009b31m\u202e';

const sites: readonly (readonly [string, Answering, RegExp])[] = [
  [
    'a site that never ends its answer',
    (_request, response) => {
      response.writeHead(200, json);
      const dripping = setInterval(() => response.write(' '), 100);
      response.once('close', () => {
        clearInterval(dripping);
      });
    },
    /did not answer completely within 2 s/,
  ],
  ['a site that never answers', () => undefined, /did not answer completely within 2 s/],
  [
    'an endless response',
    (_request, response) => {
      response.writeHead(200, json);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 0x20)));
      };
      response.on('drain', more);
      more();
    },
    /answers with more than 134217728 bytes/,
  ],
  [
    'endless headers',
    (_request, response) => response.writeHead(200, {...json, 'x-long': 'a'.repeat(100_000)}).end('{}'),
    /sends headers of more than/,
  ],
  [
    'JSON with endless nesting',
    (_request, response) => response.writeHead(200, json).end('['.repeat(1_000_000) + ']'.repeat(1_000_000)),
    /is nested (too deeply|more than 64 levels deep)/,
  ],
  [
    'escapes in an address',
    (_request, response) => response.writeHead(302, {location: 'http://x/\u009b31m'}).end(),
    /answers 302 to http:\/\/x\/\\u009b31m/,
  ],
  [
    'escapes in JSON',
    (_request, response) => response.writeHead(200, json).end(`{"version": "${escape}"}`),
    /is not JSON/,
  ],
  [
    'escapes in a member',
    (_request, response) => response.writeHead(200, json).end(JSON.stringify({version: escape})),
    /is not a site of this kind/,
  ],
  [
    'a page',
    (_request, response) => response.writeHead(200, {'content-type': 'text/html'}).end('<p>'),
    /is not a site of this kind/,
  ],
];

for (const [says, answer, line] of sites) {
  test(`${says} is reported in one line`, async () => {
    await using server = await rawServer(answer);
    // Reading the endless response up to the limit can take more than 2 s.
    const seconds = says === 'an endless response' ? '60' : '2';
    const {code, out, err} = await runScript('verify', ['site', server.url, '--request-timeout', seconds]);
    assert.equal(code, 1);
    assert.match(err, line);
    assert.match(err, /^[^\n]+\n$/);
    assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
}

test('a server without HTTP, or without TLS, is reported in one line', async () => {
  const server = createServer(socket => socket.on('error', () => undefined).end('hello\r\n\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const plain = await runScript('verify', ['site', `http://127.0.0.1:${port}`]);
  const tls = await runScript('verify', ['site', `https://127.0.0.1:${port}`]);
  server.close();
  const closed = await runScript('verify', ['site', `http://127.0.0.1:${port}`]);
  assert.match(plain.err, /^http:[^\n]*does not speak HTTP[^\n]*\n$/);
  assert.match(tls.err, /^https:[^\n]*does not accept a TLS connection: [a-z ]+ \(ERR_SSL_\w+\)\n$/);
  assert.match(closed.err, /^http:[^\n]*refuses the connection\n$/);
  assert.deepEqual([plain.code, tls.code, closed.code], [1, 1, 1]);
  const {out} = await runScript('verify', ['site', `http://127.0.0.1:${port}`, '--json']);
  assert.equal((JSON.parse(out) as {errors: {code: string}[]}).errors[0]?.code, 'FZ602');
});

test('a document that needs too much memory fails its check', async () => {
  await using examiner = new Examiner(new AbortController().signal, 64);
  const bytes = Buffer.from(`{"a": 1${', "a": 1'.repeat(500_000)}}`);
  const {checks} = await examiner.examine({type: 'document', subject: 'document', bytes, schema: undefined});
  assert.equal(checks[0]?.detail, 'checking it needs more than 64 MiB, more than a valid document needs');
});

test('a schema that takes forever to match fails only its own check, within the time limit', async () => {
  await using gate = await gateProcess(EXAMPLE);
  const path = '/api/v1/schemas/softfail3.sample.json';
  const published = await readFile(join(EXAMPLE, 'public', path), 'utf8');
  const slow = JSON.stringify({properties: {reason: {pattern: '^(([A-Za-z0-9 .,:=_]+)+)+$!'}}});
  const digests = [published, slow].map(text => createHash('sha256').update(text).digest('hex'));
  await using front = await inFrontOf(gate.url, ({target, body}) => {
    if (target === path) return {body: slow};
    if (target !== '/api/v1/index.json') return undefined;
    const listed = body
      .toString()
      .replace(
        new RegExp(`"${digests[0] ?? ''}",(\\s*)"bytes": \\d+`),
        `"${digests[1] ?? ''}",$1"bytes": ${slow.length}`,
      );
    return {body: listed};
  });
  const {code, out} = await runScript('verify', ['site', front.url, '--total-timeout', '6']);
  assert.equal(code, 1);
  assert.match(out, /^✗ {2}effort +softfail3 +the time for all checks is over$/m);
});

test('unusual names of products are reported in printable characters', async () => {
  await using gate = await gateProcess(EXAMPLE);
  await using front = await inFrontOf(gate.url, ({target, body}) =>
    target === '/api/v1/index.json'
      ? {body: JSON.stringify({...(JSON.parse(body.toString()) as object), base_url: `https://${escape}`})}
      : undefined,
  );
  const {code, out, err} = await runScript('verify', ['site', front.url, '--all', '--total-timeout', '60']);
  assert.equal(code, 1);
  assert.match(out, /\\u001b\[2J\\u009b31m\\u202e/);
  assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
