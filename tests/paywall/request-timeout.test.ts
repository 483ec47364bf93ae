import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {after, before, describe, test} from 'node:test';
import {limitPipelining} from '../../paywall/hosts/pipelining.ts';
import {answerRefused} from '../../paywall/hosts/refused-requests.ts';
import {rawExchange} from './raw-exchange.ts';

/** A settlement can take longer than a request may take to arrive. */
const [TIMEOUT_MS, CHECK_MS, STEP_MS, STEPS] = [1_000, 20, 100, 15];

/** Answers at once and sends the body slowly, or settles slowly before it answers. */
async function answerSlowly(url: string | undefined, answer: ServerResponse): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    if (url === '/slow-body') answer.write('part of ');
    await sleep(STEP_MS);
  }
  answer.end('the document');
}

describe('the time in which a request must arrive', {concurrency: true}, () => {
  const server = createServer(
    {requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS, connectionsCheckingInterval: CHECK_MS},
    ({url}, answer) => void answerSlowly(url, answer),
  );
  answerRefused(server);
  limitPipelining(server);
  let url: string;
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  for (const path of ['/slow-settlement', '/slow-body'])
    for (const body of [
      'Content-Length: 2\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'Content-Length: 2\r\n\r\n',
    ])
      test(`does not end an answer of ${path} to a request with ${JSON.stringify(body)}`, async () => {
        const answer = await rawExchange(url, `GET ${path} HTTP/1.1\r\nHost: a\r\n${body}`);
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
        assert.match(answer, /the document/);
        assert.doesNotMatch(answer, / 408 /);
      });

  test('ends a request whose head does not arrive', async () => {
    assert.match(await rawExchange(url, 'GET / HTTP/1.1\r\nHost: a\r\n'), /^HTTP\/1\.1 408 /);
  });
});
