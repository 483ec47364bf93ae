import assert from 'node:assert/strict';
import {test} from 'node:test';
import {answerInWorker} from '../../paywall/hosts/answer-in-worker.ts';
import type {Sending} from '../../paywall/payments/sales/lease.ts';

test('a document is cut off if its client had disconnected before it was ready', async () => {
  const client = new AbortController();
  client.abort();
  let sending: Sending | undefined;
  const gate = {
    async fetch(_: Request, env: unknown) {
      sending = await (env as {sent: () => Promise<Sending>}).sent();
      return new Response(null);
    },
  };
  const request = new Request('https://site.example/', {signal: client.signal});
  await answerInWorker(gate, request, () => undefined);
  assert.equal(sending, 'cut off');
});
