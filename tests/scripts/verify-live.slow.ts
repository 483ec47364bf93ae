import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {after, before, test} from 'node:test';
import {decodePaymentRequiredHeader, encodePaymentRequiredHeader} from '@x402/core/http';
import type {PaymentRequired} from '@x402/core/types';
import {EXAMPLE} from '../example/example.ts';
import {gateProcess, serveProcess, type ServerProcess} from './gate-process.ts';
import {oneExaminer} from './one-examiner.ts';
import {inFrontOf, type Exchange, type Instead} from './raw-server.ts';
import {runScript} from './script-run.ts';

const paid = '/api/v1/softfail3';
const sample = '/api/v1/samples/softfail3.json';
const document = await readFile(join(EXAMPLE, 'public', paid));

const verifySite = oneExaminer();

let gate: ServerProcess;
before(async () => {
  gate = await gateProcess(EXAMPLE);
});
after(() => gate[Symbol.asyncDispose]());

test('the real gate is verified, and its paid documents are reported as not checked', async () => {
  const {code, out, err} = await runScript('verify', ['site', gate.url, '--data', join(EXAMPLE, 'data')]);
  assert.equal(code, 0, out + err);
  assert.match(out, /^✓ {2}402 +\d+ paths +asks for the price in the catalogue, paid to the site's payee$/m);
  assert.match(out, /^✓ {2}leaks +\d+ paths +\d+ unpaid spellings, methods and headers reveal nothing$/m);
  assert.match(out, /^· {2}paid document +\d+ paths +not checked: it is for sale/m);
  assert.match(out, /^verified: http:\/\/127\.0\.0\.1:\d+: \d+ checks passed, 0 failed, 1 note, \d+ not checked/m);
});

test('serve fails the verification, because it has no paywall', async () => {
  await using server = await serveProcess(EXAMPLE);
  const {code, out} = await runScript('verify', ['site', server.url]);
  assert.equal(code, 1);
  assert.equal(out.match(/^✗ {2}402 +\/api\/v1\/\S+ +answers 200 without payment, not 402$/gm)?.length, 5);
});

/** Changes the payment requirements in the header of the 402. */
const terms = (change: (asked: PaymentRequired) => object) => (exchange: Exchange) => {
  const header = exchange.headers['payment-required'];
  if (exchange.target !== paid || typeof header !== 'string') return undefined;
  const asked = change(decodePaymentRequiredHeader(header));
  return {headers: {'payment-required': encodePaymentRequiredHeader(asked as PaymentRequired)}};
};
const requirement = (member: object) =>
  terms(asked => ({...asked, accepts: asked.accepts.map(one => ({...one, ...member}))}));
const atPaid =
  (instead: Instead, method = 'GET') =>
  (exchange: Exchange) =>
    exchange.target === paid && exchange.method === method ? instead : undefined;
const atSample = (instead: Instead) => (exchange: Exchange) => (exchange.target === sample ? instead : undefined);

const tampered: readonly (readonly [string, (exchange: Exchange) => Instead | undefined, string, RegExp])[] = [
  ['another payee', requirement({payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'}), '402', /payTo is 0x2096/],
  ['another amount', requirement({amount: '20001'}), '402', /amount is 20001, not 20000/],
  ['another token', requirement({asset: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'}), '402', /asset is/],
  ['another network', requirement({network: 'eip155:8453'}), '402', /does not accept exact on eip155:84532/],
  [
    'one network more',
    terms(asked => ({...asked, accepts: [...asked.accepts, {...asked.accepts[0], network: 'eip155:1'}]})),
    '402',
    /also accepts exact on eip155:1/,
  ],
  ['no terms', atPaid({headers: {'payment-required': undefined}}), '402', /has no PAYMENT-REQUIRED header/],
  [
    'payment requirements that are not JSON',
    atPaid({headers: {'payment-required': 'bm9wZQ=='}}),
    '402',
    /is not base64 of JSON/,
  ],
  ['terms of another version', terms(asked => ({...asked, x402Version: 1})), '402', /is not of x402 version 2/],
  ['a 402 that caches keep', atPaid({headers: {'cache-control': 'public, max-age=60'}}), '402', /may be cached/],
  ['a paid path that is missing', atPaid({status: 404}), '402', /answers 404/],
  [
    'the document as the body of the 402',
    atPaid({body: document}),
    'leaks',
    /GET .* with Range answers 402 with the document as its body/,
  ],
  [
    'the document in other words',
    atPaid({body: JSON.stringify(JSON.parse(document.toString()))}),
    'leaks',
    /the document as its body/,
  ],
  ['an entity tag on the 402', atPaid({headers: {etag: '"f5c2"'}}), 'leaks', /with the header etag/],
  [
    'a HEAD that is not asked for money',
    atPaid({status: 200, headers: {'content-length': '1701'}}, 'HEAD'),
    'leaks',
    /HEAD \/api\/v1\/softfail3 answers 200/,
  ],
  [
    'a HEAD that reveals the length',
    ({method, target}) =>
      target === paid && method === 'HEAD' ? {headers: {'content-length': String(document.length)}} : undefined,
    'leaks',
    /the document's Content-Length/,
  ],
  [
    'a spelling that is not asked for money',
    ({target}) => (target !== paid && decoded(target) === paid ? {status: 200, body: document} : undefined),
    'leaks',
    /GET \/api\/v1\/%73oftfail3 answers 200/,
  ],
  [
    'a double slash that is answered without 402',
    ({target}) => (target === '/api/v1//softfail3' ? {status: 200, body: document} : undefined),
    'leaks',
    /GET \/api\/v1\/\/softfail3 answers 200/,
  ],
  [
    'a climb that is not asked for money',
    ({target}) => (target === '/api/v1/samples/../softfail3' ? {status: 200, body: document} : undefined),
    'leaks',
    /samples\/\.\.\/softfail3 answers 200/,
  ],
  [
    'a sample of another type',
    atSample({headers: {'content-type': 'application/octet-stream'}}),
    'type',
    /octet-stream/,
  ],
  [
    'a sample without cache headers',
    atSample({headers: {'cache-control': undefined}}),
    'cache',
    /has no Cache-Control/,
  ],
  [
    'a sample kept for a year',
    atSample({headers: {'cache-control': 'public, max-age=31536000'}}),
    'cache',
    /more than a day/,
  ],
  ['a sample that no cache keeps', atSample({headers: {'cache-control': 'no-store'}}), 'cache', /may be cached/],
  [
    'a sample that moved',
    atSample({status: 301, headers: {location: '/elsewhere'}}),
    'status',
    /answers 301 to \/elsewhere/,
  ],
  [
    'a sample that is compressed unasked',
    atSample({headers: {'content-encoding': 'gzip'}, body: gzipSync('{}')}),
    'status',
    /is sent as gzip/,
  ],
  ['a sample with other bytes', atSample({body: '{}\n'}), 'bytes', /has 3 bytes, not/],
  [
    'a page for what does not exist',
    ({status}) => (status === 404 ? {status: 200, body: 'hello'} : undefined),
    'unknown path',
    /answers 200, not 404/,
  ],
];

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

for (const [says, change, what, detail] of tampered) {
  test(`finds ${says}`, async () => {
    await using front = await inFrontOf(gate.url, change);
    const failed = (await verifySite(front.url)).filter(({state}) => state === 'failed');
    const match = failed.find(check => check.what === what && detail.test(check.detail));
    assert.ok(match, `no failed check "${what}" that says ${detail.source}:\n${JSON.stringify(failed, null, 2)}`);
  });
}

test('only the header of a 402 is required, because the rest cannot be configured in AWS WAF', async () => {
  await using front = await inFrontOf(gate.url, ({status, headers}) => {
    if (status !== 402) return undefined;
    const bare = Object.fromEntries(Object.keys(headers).map(name => [name, undefined]));
    return {headers: {...bare, 'payment-required': String(headers['payment-required'])}, body: ''};
  });
  const checks = await verifySite(front.url);
  assert.deepEqual(
    checks.filter(({state}) => state === 'failed'),
    [],
  );
});
