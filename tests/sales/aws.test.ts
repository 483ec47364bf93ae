import assert from 'node:assert/strict';
import {createServer, type IncomingHttpHeaders} from 'node:http';
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {runScript} from '../scripts/script-run.ts';

/** An account of AWS, without the configuration of this machine. */
const account = {
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};

interface Json {
  readonly sales: readonly Readonly<Record<string, string>>[];
  readonly figures: {
    readonly totals: readonly {readonly network: string; readonly currency: string; readonly net: string}[];
  };
}

const nets = (out: string) =>
  (JSON.parse(out) as Json).figures.totals.map(({network, currency, net}) => `${network} ${currency} ${net}`);

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly TimeWindow: {readonly StartTime: number; readonly EndTime: number};
    readonly Filters: readonly {readonly Values: readonly string[]}[];
    readonly NextMarker?: string;
  };
}

/** An endpoint with the JSON protocol of AWS WAF, as its library uses it. */
async function awsEndpoint(answer: (asked: Asked) => object) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const one = {headers: request.headers, body: JSON.parse(body) as Asked['body']};
      asked.push(one);
      response.setHeader('Content-Type', 'application/x-amz-json-1.1').end(JSON.stringify(answer(one)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

const settlement = (RequestId: string, Status = 'SETTLED', Amount = '0.02') => ({
  Timestamp: 1_777_800_000.5,
  PayerAddress: `0x${'Ab'.repeat(20)}`,
  WalletAddress: `0x${'cd'.repeat(20)}`,
  Status,
  Amount,
  Currency: 'USDC',
  Network: 'BASE',
  TransactionId: `0x${'12'.repeat(32)}`,
  RequestId,
  ContentPath: '/api/v1/softfail3',
});

test('lists the settlements of AWS WAF, page by page and 90 days at a time', async () => {
  using aws = await awsEndpoint(({body: {Filters, NextMarker, TimeWindow}}) => {
    if (Filters[0]?.Values[0] === 'TEST') return {Settlements: []};
    if (TimeWindow.StartTime < 1_770_000_000) return {Settlements: [settlement('zero')]};
    if (NextMarker === undefined)
      return {Settlements: [settlement('one'), settlement('two', 'FAILED')], NextMarker: 'on'};
    return {Settlements: [settlement('three', 'SETTLED', '0.150000')]};
  });
  const env = {...account, AWS_ENDPOINT_URL: aws.url};
  const period = ['--since', '2026-01-15', '--until', '2026-06-01'];
  const {code, out, err} = await runScript('sales', ['--aws', '--json', ...period], env);
  assert.equal(code, 0, err);
  assert.deepEqual(nets(out), ['eip155:8453 USDC 0.19']);
  const {sales} = JSON.parse(out) as Json;
  assert.deepEqual(
    sales.map(({key, state, product}) => [key, state, product].join()),
    ['zero,delivered,softfail3', 'one,delivered,softfail3', 'two,declined,softfail3', 'three,delivered,softfail3'],
  );
  assert.equal(sales[0]?.['moment'], '2026-05-03T09:20:00.500Z');
  assert.ok(aws.asked.every(({headers}) => headers['x-amz-target'] === 'AWSWAF_20190729.ListSettlementRecords'));
  for (const {body} of aws.asked) assert.ok(body.TimeWindow.EndTime - body.TimeWindow.StartTime <= 90 * 86_400);
});

test('reports that credentials for AWS are missing, before it lists anything', async () => {
  const none = {AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true'};
  const {code, out, err} = await runScript('sales', ['--aws'], {...none, HOME: tmpdir()});
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /^The credentials of AWS cannot be found /);
});

test('reports an endpoint of AWS that refuses, repeats one page forever, or sends invalid data', async () => {
  for (const [answer, words] of [
    [{Settlements: [], NextMarker: 'on'}, 'wafv2 ListSettlementRecords lists the same page again'],
    [
      {Settlements: [settlement('odd', 'SETTLED', '2e3')]},
      'wafv2 ListSettlementRecords settlement "odd" does not have a valid time, status and amount',
    ],
  ] as const) {
    using aws = await awsEndpoint(() => answer);
    const {code, err} = await runScript('sales', ['--aws'], {
      ...account,
      AWS_ENDPOINT_URL: aws.url,
    });
    assert.equal(code, 1);
    assert.equal(err, `${words}\n`);
  }
});
