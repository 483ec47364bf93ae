import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {Hono} from 'hono';
import {noCredentials, openCredentials, type Keys} from '../../paywall/payments/facilitator/credentials.ts';
import {FacilitatorClient} from '../../paywall/payments/facilitator/facilitator-client.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {startKeyedFacilitator, curveKey, edwardsKey, type ApiKey} from './keyed-facilitator.ts';
import {startStandIn} from './stand-in.ts';

const coinbase = 'https://api.cdp.coinbase.com/platform/v2/x402';
const token = 'a-token-of-somebody-42';
const {CDP_API_KEY_ID, CDP_API_KEY_SECRET} = edwardsKey().env;
const PKCS8 = curveKey('pkcs8');

const kinds: readonly (readonly [string, ApiKey])[] = [
  ['an Ed25519 key', edwardsKey()],
  ['an EC key in PKCS #8', PKCS8],
  ['an EC key in SEC 1', curveKey('sec1')],
  [
    'an EC key with line ends as \\n',
    {...PKCS8, env: {...PKCS8.env, CDP_API_KEY_SECRET: PKCS8.env.CDP_API_KEY_SECRET.replaceAll('\n', '\\n')}},
  ],
];

for (const [what, key] of kinds)
  test(`${what} signs a token for each request that no other request can use`, async () => {
    const standIn = await startStandIn();
    await using facilitator = await startKeyedFacilitator(standIn.url, key);
    const credentials = (await openCredentials(key.env, undefined))(facilitator.url);
    const answers = new FacilitatorClient(facilitator.url, credentials);
    assert.equal((await answers.supported(5_000)).status, 200);
    assert.equal((await answers.supported(5_000)).status, 200);
    const send = async (path: string, Authorization = '') =>
      (await fetch(facilitator.url + path, {headers: {Authorization}})).status;
    const signed = await credentials.authorization('GET', `${facilitator.url}/supported`);
    assert.equal(await send('/verify', signed), 401);
    assert.equal(await send('/supported', signed), 200);
    assert.equal(await send('/supported', signed), 401);
    facilitator.ahead = 130_000;
    assert.equal((await answers.supported(5_000)).status, 401);
    facilitator.ahead = -10_000;
    assert.equal((await answers.supported(5_000)).status, 401);
    assert.deepEqual(facilitator.asked, [
      'GET /supported ok',
      'GET /supported ok',
      'GET /verify uris',
      'GET /supported ok',
      'GET /supported replayed',
      'GET /supported "exp" claim timestamp check failed',
      'GET /supported "nbf" claim timestamp check failed',
    ]);
    await standIn.stop();
  });

test('a token of another key is refused', async () => {
  await using facilitator = await startKeyedFacilitator('http://127.0.0.1:1', curveKey('pkcs8'));
  const credentials = (await openCredentials(PKCS8.env, undefined))(facilitator.url);
  const answers = new FacilitatorClient(facilitator.url, credentials);
  const {status, text} = await answers.supported(5_000);
  assert.equal(status, 401);
  assert.match(text, /signature verification failed/);
  assert.match(text, /"sent":"Bearer …"/, 'a repeated key is removed from a message');
});

test('a key is not sent after a redirect', async () => {
  const thief = await startStandIn();
  await using facilitator = await listen(new Hono().all('*', c => c.redirect(`${thief.url}/supported`, 307)));
  const credentials = (await openCredentials({FROZEN_FACILITATOR_TOKEN: token}, facilitator.url))(facilitator.url);
  const answers = new FacilitatorClient(facilitator.url, credentials);
  const {status, body} = await answers.supported(5_000);
  assert.deepEqual([status, body], [307, undefined]);
  await thief.stop();
});

describe('keys are refused, in a line that shows no key,', () => {
  const other = edwardsKey().env.CDP_API_KEY_SECRET;
  const mixed = Buffer.concat([
    Buffer.from(CDP_API_KEY_SECRET, 'base64').subarray(0, 32),
    Buffer.from(other, 'base64').subarray(32),
  ]).toString('base64');
  const noKey = /^CDP_API_KEY_SECRET is not a key of Coinbase: [^\n]+\.$/;
  const refusals: readonly (readonly [string, Keys, RegExp])[] = [
    ['a name without a secret', {CDP_API_KEY_ID}, /^CDP_API_KEY_ID is set without CDP_API_KEY_SECRET: [^\n]+\.$/],
    ['a secret without a name', {CDP_API_KEY_SECRET}, /^CDP_API_KEY_SECRET is set without CDP_API_KEY_ID: [^\n]+\.$/],
    ['an empty secret', {CDP_API_KEY_ID, CDP_API_KEY_SECRET: ''}, /^CDP_API_KEY_ID is set without/],
    [
      'both kinds',
      {CDP_API_KEY_ID, CDP_API_KEY_SECRET, FROZEN_FACILITATOR_TOKEN: token},
      /^FROZEN_FACILITATOR_TOKEN and a key of Coinbase .* are both set/,
    ],
    [
      'half a pair and a token',
      {CDP_API_KEY_ID, FROZEN_FACILITATOR_TOKEN: token},
      /^FROZEN_FACILITATOR_TOKEN and a key of Coinbase .* are both set/,
    ],
    ['a name with spaces', {CDP_API_KEY_ID: 'a b', CDP_API_KEY_SECRET}, /^CDP_API_KEY_ID is not the name of a key/],
    ['a word', {CDP_API_KEY_ID, CDP_API_KEY_SECRET: 'hunter2-hunter2'}, noKey],
    ['half a key', {CDP_API_KEY_ID, CDP_API_KEY_SECRET: CDP_API_KEY_SECRET.slice(0, 44)}, noKey],
    ['halves of two keys', {CDP_API_KEY_ID, CDP_API_KEY_SECRET: mixed}, noKey],
    ['a broken PEM', {CDP_API_KEY_ID, CDP_API_KEY_SECRET: PKCS8.env.CDP_API_KEY_SECRET.replace('MI', 'IM')}, noKey],
    ['a key on another curve', curveKey('pkcs8', 'P-384').env, noKey],
    [
      'a public key',
      {CDP_API_KEY_ID, CDP_API_KEY_SECRET: PKCS8.publicKey.export({format: 'pem', type: 'spki'}).toString()},
      noKey,
    ],
    [
      'a token with a space',
      {FROZEN_FACILITATOR_TOKEN: 'a token with spaces'},
      /^FROZEN_FACILITATOR_TOKEN is not a bearer token/,
    ],
    [
      'a token with a line end',
      {FROZEN_FACILITATOR_TOKEN: `${token}\n`},
      /^FROZEN_FACILITATOR_TOKEN is not a bearer token/,
    ],
    ['a short token', {FROZEN_FACILITATOR_TOKEN: 'success'}, /^FROZEN_FACILITATOR_TOKEN is not a bearer token/],
    [
      'a token without the URL of its facilitator',
      {FROZEN_FACILITATOR_TOKEN: token},
      /^FROZEN_FACILITATOR_TOKEN is set without FROZEN_FACILITATOR_URL/,
    ],
  ];
  for (const [what, keys, says] of refusals)
    test(`as ${what}`, async () => {
      const namedUrl = what.includes('without the URL') ? undefined : coinbase;
      await assert.rejects(openCredentials(keys, namedUrl), ({name, message, cause}: Error) => {
        assert.deepEqual([name, cause], ['SiteError', undefined]);
        assert.match(message, says);
        for (const secret of [keys.CDP_API_KEY_SECRET, keys.FROZEN_FACILITATOR_TOKEN])
          if (secret) assert.ok(!message.includes(secret.slice(0, 10)));
        return true;
      });
    });
});

test("a key of Coinbase is only sent to Coinbase's host over TLS, or to this machine", async () => {
  const credentialsFor = await openCredentials(edwardsKey().env, undefined);
  for (const url of [coinbase, 'http://127.0.0.1:4021', 'http://localhost:4021', 'http://[::1]:4021'])
    assert.match((await credentialsFor(url).authorization('GET', url)) ?? '', /^Bearer /, url);
  for (const url of [
    'http://api.cdp.coinbase.com/platform/v2/x402',
    'https://api.cdp.coinbase.com:8443/platform/v2/x402',
    'https://api.cdp.coinbase.com.facilitator.example',
    'https://facilitator.example/api.cdp.coinbase.com',
    'https://127.0.0.1.facilitator.example',
  ])
    assert.throws(
      () => credentialsFor(url),
      {name: 'SiteError', message: /are only for https:\/\/api\.cdp\.coinbase\.com/},
      url,
    );
});

test('a token is only sent to the address in the environment, over TLS or on this machine', async () => {
  const url = 'https://facilitator.example/x402';
  const credentialsFor = await openCredentials({FROZEN_FACILITATOR_TOKEN: token}, url);
  assert.equal(await credentialsFor(url).authorization('POST', `${url}/settle`), `Bearer ${token}`);
  assert.throws(() => credentialsFor('https://other.example/x402'), /is not for other\.example/);
  const plain = 'http://facilitator.example/x402';
  const overHttp = await openCredentials({FROZEN_FACILITATOR_TOKEN: token}, plain);
  assert.throws(() => overHttp(plain), /is not sent to facilitator\.example over http/);
});

test('without keys no token is sent, and a refusal names the keys that Coinbase or another facilitator needs', async () => {
  const credentialsFor = await openCredentials({CDP_API_KEY_ID: '', FROZEN_FACILITATOR_TOKEN: ''}, undefined);
  assert.equal(credentialsFor, noCredentials);
  assert.equal(await credentialsFor(coinbase).authorization('GET', coinbase), undefined);
  assert.match(credentialsFor(coinbase).remedy, /CDP_API_KEY_ID and CDP_API_KEY_SECRET/);
  assert.match(credentialsFor('https://facilitator.example').remedy, /FROZEN_FACILITATOR_TOKEN/);
});

test('a payment is not settled with a key that the facilitator refuses, and the remedy is reported', async () => {
  const [standIn, key, troubles] = [await startStandIn(), edwardsKey(), [] as string[]];
  await using keyed = await startKeyedFacilitator(standIn.url, key);
  const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements; // the stand-in reads nothing else
  const payload = {payload: {authorization: {}}} as unknown as PaymentPayload;
  const clientWith = async (keys: Keys) => {
    const credentials = (await openCredentials(keys, undefined))(keyed.url);
    return new HttpFacilitator(keyed.url, {credentials, onTrouble: trouble => troubles.push(trouble)});
  };
  assert.deepEqual(await (await clientWith(edwardsKey().env)).verify(payload, requirements), {kind: 'unavailable'});
  const facilitator = await clientWith(key.env);
  assert.deepEqual(await facilitator.verify(payload, requirements), {kind: 'valid'});
  keyed.refuses = '/settle';
  assert.deepEqual(await facilitator.settle(payload, requirements), {kind: 'unavailable'});
  assert.deepEqual(standIn.submitted, []);
  keyed.refuses = '';
  assert.equal((await facilitator.settle(payload, requirements)).kind, 'settled');
  const [verified, settled, ...others] = troubles;
  const remedy = 'it does not accept the key: see CDP_API_KEY_ID, CDP_API_KEY_SECRET and the clock of this machine';
  assert.ok(verified?.endsWith(`did not verify a payment: it answers 401: ${remedy}`), verified);
  assert.ok(settled?.endsWith(`did not settle a payment: it answers 403: ${remedy}`), settled);
  assert.deepEqual(others, []);
  await standIn.stop();
});
