import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {runInNewContext} from 'node:vm';
import {x402Client, x402HTTPClient} from '@x402/core/client';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {sanitizeResourceServiceMetadata} from '@x402/extensions/bazaar';
import {wrapFetchWithSIWx} from '@x402/extensions/sign-in-with-x';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {appendPaymentIdentifierToExtensions} from '@x402/extensions/payment-identifier';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {shortened} from '../../paywall/payments/protocol/head-size.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {baseUrl, fixtureSite} from './fixture-site.ts';
import {paymentFor, type Challenge} from './hand-made.ts';
import {rawExchange} from './raw-exchange.ts';
import type {SignedSite} from './signed-site.ts';
import {startStandIn, type StandIn} from './stand-in.ts';
import {widestPath, widestSite} from './widest-site.ts';

/** nginx reads the head of a response into 4 KB, and Apache and nginx accept 8 KB for one request header. */
const [MOST_HEAD, MOST_ECHO] = [4_000, 6_000];
const LONGEST_REASON = `r${'_'.repeat(79)}`;
const MOZILLA = {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'};

describe('the head of a response for the product with the largest headers', () => {
  let site: SignedSite;
  let facilitator: StandIn;
  let gate: Listening;
  let buyer: PrivateKeyAccount;

  before(async () => {
    [site, facilitator] = [await widestSite(), await startStandIn()];
    gate = await startGate(site.root, facilitator.url, {signingKey: site.key});
    buyer = privateKeyToAccount(generatePrivateKey());
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await site.remove();
  });

  async function headFor(path: string, headers: Record<string, string> = {}) {
    const lines = Object.entries({Host: 'x', Connection: 'keep-alive', ...headers}).map(pair => pair.join(': '));
    const answer = await rawExchange(gate.url, [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    return answer.slice(0, answer.indexOf('\r\n\r\n') + 4);
  }

  async function required(path: string) {
    const get = await fetch(gate.url + path);
    const client = new x402HTTPClient(new x402Client().register('eip155:*', new ExactEvmScheme(buyer)));
    return {client, terms: client.getPaymentRequiredResponse(name => get.headers.get(name))};
  }

  for (const path of [widestPath, '/api/v1/softfail3']) {
    const name = path.slice(0, 20);

    test(`is below 4,000 bytes, for programs and for browsers: ${name}`, async () => {
      for (const headers of [{}, MOZILLA]) {
        const head = await headFor(path, headers);
        assert.match(head, /^HTTP\/1\.1 402 /);
        assert.ok(head.length < MOST_HEAD, `${head.length} bytes`);
      }
    });

    test(`is below 4,000 bytes if a payment is refused or its settlement fails: ${name}`, async () => {
      for (const [verify, settle, reason] of [
        [{refuse: LONGEST_REASON}, 'good', LONGEST_REASON],
        ['good', {refuse: 'invalid_exact_evm_payload_authorization_value_mismatch'}, 'invalid_exact_evm_payload'],
      ] as const) {
        [facilitator.verify, facilitator.settle] = [verify, settle];
        const payment = await paymentFor((await required(path)).terms as unknown as Challenge, buyer);
        const head = await headFor(path, {'PAYMENT-SIGNATURE': payment, ...MOZILLA});
        assert.match(head, /^HTTP\/1\.1 402 /);
        const [, terms = ''] = /^payment-required: (\S+)/im.exec(head) ?? [];
        assert.ok(Buffer.from(terms, 'base64').toString().includes(reason));
        assert.equal(/^payment-response: /im.test(head), typeof settle === 'object');
        assert.ok(head.length < MOST_HEAD, `${head.length} bytes`);
      }
      [facilitator.verify, facilitator.settle] = ['good', 'good'];
    });

    test(`is below 4,000 bytes with a document and its signed receipt: ${name}`, async () => {
      const payment = await paymentFor((await required(path)).terms as unknown as Challenge, buyer);
      const head = await headFor(path, {'PAYMENT-SIGNATURE': payment});
      assert.match(head, /^HTTP\/1\.1 200 /);
      assert.ok(head.length < MOST_HEAD, `${head.length} bytes`);
    });

    test(`leaves a stock client less than 6,000 bytes to send back: ${name}`, async () => {
      const {client, terms} = await required(path);
      appendPaymentIdentifierToExtensions(terms.extensions ?? {});
      // The price of this product is above the client's default limit.
      const spender = new x402Client().register('eip155:*', new ExactEvmScheme(buyer)).setSpendControls(false);
      const payload = await spender.createPaymentPayload(terms);
      const [header = ''] = Object.values(client.encodePaymentSignatureHeader(payload));
      assert.match(JSON.stringify(payload.extensions), /"id":"pay_/);
      assert.ok(header.length < MOST_ECHO, `${header.length} bytes`);
    });

    test(`names the service as the validators of directories want it: ${name}`, async () => {
      const {resource} = (await required(path)).terms;
      const {serviceName, tags, iconUrl, description = ''} = resource;
      assert.ok(description.length <= 500);
      // The product with the largest headers has no space for it.
      if (path === widestPath) assert.equal(serviceName, undefined);
      else assert.deepEqual(sanitizeResourceServiceMetadata(resource), {serviceName, tags, iconUrl});
    });
  }
});

test('the line of code in the body of a 402 buys the document once, and gets it again', async () => {
  const [site, facilitator] = [await fixtureSite(), await startStandIn()];
  await using gate = await startGate(site.root, facilitator.url);
  const path = '/api/v1/softfail3';
  const {how_to_pay: how} = (await (await fetch(gate.url + path)).json()) as {how_to_pay: {code: string}};
  const process = {env: {PRIVATE_KEY: generatePrivateKey()}};
  // The wallet signs in only at the host of the site, so requests to it are redirected to the gate.
  const redirected = async (request: Request) => {
    const answer = await fetch(request.url.replace(baseUrl, gate.url), request);
    return new Response(answer.body, answer);
  };
  const packages = {wrapFetchWithPaymentFromConfig, wrapFetchWithSIWx, ExactEvmScheme, privateKeyToAccount};
  for (let run = 1; run <= 2; run++) {
    const program = `(async () => { ${how.code} return response; })()`;
    const response = await (runInNewContext(program, {...packages, fetch: redirected, process}) as Promise<Response>);
    assert.equal(await response.text(), site.files.get(path));
  }
  assert.equal(facilitator.submitted.length, 1);
  await facilitator.stop();
  await site.remove();
});

for (const [text, bytes, expected] of [
  ['short', 5, 'short'],
  ['a longer text', 9, 'a long…'],
  ['"""""', 7, '""…'],
  ['雪だるま', 9, '雪だ…'],
  ['😀😀😀', 8, '😀…'],
  ['nothing fits', 2, ''],
  ['x'.repeat(501), 10_000, `${'x'.repeat(499)}…`],
] as const)
  test(`shortens ${text.slice(0, 20)} to ${bytes} bytes within JSON`, () => {
    const shorter = shortened(text, bytes);
    assert.equal(shorter, expected);
    assert.ok(Buffer.byteLength(JSON.stringify(shorter)) - 2 <= bytes);
  });
