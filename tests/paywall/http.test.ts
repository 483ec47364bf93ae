import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Admin} from '../../paywall/hosts/admin.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import type {AccessLine} from '../../paywall/http/access-log.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded} from './hand-made.ts';
import {rawRequest} from './leak-table.ts';
import {rawExchange} from './raw-exchange.ts';

const sample = '/api/v1/samples/softfail3.json';
const paid = '/api/v1/softfail3';
const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('requests over raw sockets', () => {
  let site: FixtureSite;
  let gate: Running;
  let ledger: Awaited<ReturnType<typeof openSqlite>>;
  const lines: AccessLine[] = [];

  before(async () => {
    site = await fixtureSite();
    ledger = await openSqlite(':memory:');
    gate = await serveSite(await openSite(site.root), {
      port: 0,
      host: '127.0.0.1',
      facilitatorUrl: 'http://127.0.0.1:1',
      ledger,
      log: line => lines.push(line),
      onError: error => assert.fail(error),
    });
  });
  after(async () => {
    await gate.stop();
    await ledger.close();
    await site.remove();
  });

  const statusOf = async (url: string, line: string, ...fields: string[]) => {
    const answer = await rawExchange(url, rawRequest(line, fields));
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  };

  const served: Readonly<Record<string, [request: readonly [line: string, ...fields: string[]], status: number]>> = {
    'HTTP/1.0 without Host': [[`GET ${sample} HTTP/1.0`], 200],
    'HTTP/1.0 with Host': [[`GET ${sample} HTTP/1.0`, 'Host: a'], 200],
    'HTTP/1.1 without Host': [[`GET ${sample} HTTP/1.1`], 400],
    'two Host lines': [[`GET ${sample} HTTP/1.1`, 'Host: a', 'Host: b'], 400],
    'two Host lines with one value': [[`GET ${sample} HTTP/1.1`, 'Host: a', 'host: a'], 400],
    'two Host lines in HTTP/1.0': [[`GET ${sample} HTTP/1.0`, 'Host: a', 'Host: a'], 400],
    'two Host lines on a paid path': [[`GET ${paid} HTTP/1.1`, 'Host: a', 'Host: b'], 400],
    'an absolute target': [[`GET http://a${sample} HTTP/1.1`, 'Host: a'], 200],
    'an absolute target of HTTPS': [[`GET https://a${sample} HTTP/1.1`, 'Host: a'], 200],
    'an absolute target in capitals': [[`GET HTTP://A:80${sample}?x HTTP/1.1`, 'Host: a'], 200],
    'an absolute target without a path': [['GET http://a HTTP/1.1', 'Host: a'], 200],
    'an absolute target with a query and no path': [['GET http://a?x HTTP/1.1', 'Host: a'], 200],
    'an absolute target, which replaces a Host that is malformed': [
      [`GET http://a${sample} HTTP/1.1`, 'Host: b c'],
      200,
    ],
    'an absolute target without Host': [[`GET http://a${sample} HTTP/1.1`], 400],
    'an absolute target with two Host lines': [[`GET http://a${sample} HTTP/1.1`, 'Host: a', 'Host: a'], 400],
    'an absolute target in HTTP/1.0 without Host': [[`GET http://a${sample} HTTP/1.0`], 200],
    'an absolute target with a user': [[`GET http://me:hush@a${sample} HTTP/1.1`, 'Host: a'], 400],
    'an absolute target without an authority': [[`GET http://${sample} HTTP/1.1`, 'Host: a'], 400],
    'an absolute target of another scheme': [[`GET ftp://a${sample} HTTP/1.1`, 'Host: a'], 400],
    'an absolute target of a paid document': [[`GET http://a${paid} HTTP/1.1`, 'Host: a'], 402],
    'an absolute target of an unknown path': [['GET http://a/unknown HTTP/1.1', 'Host: a'], 404],
  };
  for (const [what, [request, status]] of Object.entries(served)) {
    test(`answers ${status} to ${what}, and logs it once`, async () => {
      lines.length = 0;
      assert.equal(await statusOf(gate.url, ...request), status);
      assert.deepEqual(
        lines.map(line => line.status),
        [status],
      );
      assert.ok(!JSON.stringify(lines).includes('hush'));
    });
  }

  test('answers 412 to If-Match without the strong entity tag of a free document', async () => {
    const tag = (await fetch(gate.url + sample, {headers: {'Accept-Encoding': 'identity'}})).headers.get('ETag') ?? '';
    const conditions: readonly [status: number, ...fields: string[]][] = [
      [200, `If-Match: ${tag}`],
      [200, 'If-Match: *'],
      [200, `If-Match: "a, b", W/"c" ,${tag}`],
      [200, 'If-Match: "a"', `If-Match: ${tag}`],
      [200, `If-Match: ${tag}`, 'Accept-Encoding: gzip'],
      [412, 'If-Match: "a"'],
      [412, 'If-Match:'],
      [412, `If-Match: W/${tag}`],
      [412, `If-Match: W/${tag}`, 'Accept-Encoding: gzip'],
      [412, 'If-Match: "*"'],
      [412, `If-Match: ${tag.slice(1, -1)}`],
      // If-Match comes first (RFC 9110, section 13.2.2).
      [412, 'If-Match: "a"', `If-None-Match: ${tag}`],
      [304, `If-Match: ${tag}`, `If-None-Match: ${tag}`],
      // Documents have no modification date, so this header is ignored (section 13.1.4).
      [200, 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
      [412, 'If-Match: "a"', 'If-Unmodified-Since: Fri, 01 Jan 2100 00:00:00 GMT'],
    ];
    for (const method of ['GET', 'HEAD'])
      for (const [status, ...fields] of conditions)
        assert.equal(
          await statusOf(gate.url, `${method} ${sample} HTTP/1.1`, 'Host: a', ...fields),
          status,
          fields.join(),
        );
  });

  test('ignores If-Match if the answer is not 200 without it', async () => {
    for (const [path, status] of [
      [paid, 402],
      ['/unknown', 404],
    ] as const)
      assert.equal(await statusOf(gate.url, `GET ${path} HTTP/1.1`, 'Host: a', 'If-Match: "a"'), status);
  });

  test('answers 400 with the payment requirements to a payment that cannot be decoded', async () => {
    const {accepts} = decoded(await fetch(gate.url + paid), 'PAYMENT-REQUIRED');
    for (const header of [
      '',
      '!!!',
      encoded('hello'),
      encoded('null'),
      encoded('[]'),
      encoded('{}'),
      encoded(JSON.stringify({x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: {}})),
      encoded(JSON.stringify({x402Version: 2, accepted: accepts[0]})),
      encoded(JSON.stringify({x402Version: 2, accepted: accepts[0], payload: {}})),
    ]) {
      const answer = await fetch(gate.url + paid, {headers: {'PAYMENT-SIGNATURE': header}});
      assert.equal(answer.status, 400, header);
      const required = decoded(answer, 'PAYMENT-REQUIRED');
      assert.deepEqual([required.error, required.accepts], ['invalid_payload', accepts]);
      assert.equal(answer.headers.get('Cache-Control'), 'no-store');
      assert.equal(answer.headers.get('Content-Type'), 'application/json');
      const body = (await answer.json()) as {error: string; accepts: unknown; status: number; payload: object};
      assert.deepEqual([body.error, body.accepts, body.status], ['invalid_payload', accepts, 400]);
      // The event is that of the product, and states the response to an unpaid request.
      assert.deepEqual(body.payload, {sku: 'softfail3', http_status: 402, settle_success: false});
    }
  });

  describe('to the admin port', () => {
    const listening = async (host: string) => {
      const admin = new Admin(ledger);
      const url = await admin.listen({host, port: 0}, {...gate, rpcUrl: undefined});
      return {url: url.replace('0.0.0.0', '127.0.0.1'), [Symbol.asyncDispose]: () => admin.stop()};
    };
    const GET = 'GET /metrics HTTP/1.1';

    test('are served without Host in HTTP/1.0', async () => {
      await using admin = await listening('127.0.0.1');
      assert.equal(await statusOf(admin.url, 'GET /metrics HTTP/1.0'), 200);
      assert.notEqual(await statusOf(admin.url, 'GET /healthz HTTP/1.0'), 400);
    });

    test('are refused with 421 on loopback if their Host is not this machine', async () => {
      await using admin = await listening('127.0.0.1');
      for (const host of ['localhost', 'LocalHost:9402', '127.0.0.1', '127.0.0.2:1', '[::1]:9402'])
        assert.equal(await statusOf(admin.url, GET, `Host: ${host}`), 200, host);
      for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1', 'metrics'])
        for (const path of ['/healthz', '/metrics', '/unknown'])
          assert.equal(await statusOf(admin.url, `GET ${path} HTTP/1.1`, `Host: ${host}`), 421, host);
      assert.equal(await statusOf(admin.url, 'GET http://evil.example/metrics HTTP/1.1', 'Host: localhost'), 421);
      assert.equal(await statusOf(admin.url, 'GET http://localhost/metrics HTTP/1.1', 'Host: evil.example'), 200);
      assert.equal(await statusOf(admin.url, GET, 'Host: localhost', 'Host: evil.example'), 400);
    });

    test('may have any Host on other addresses, because monitors use other names', async () => {
      await using admin = await listening('0.0.0.0');
      assert.equal(await statusOf(admin.url, GET, 'Host: metrics.example'), 200);
    });
  });
});
