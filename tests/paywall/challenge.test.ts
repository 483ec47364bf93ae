import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {after, before, describe, test} from 'node:test';
import {validateDiscoveryExtension, type DiscoveryExtension} from '@x402/extensions/bazaar';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {createGate} from '../../paywall/http/gate.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {baseUrl, canary, fixtureSite, payTo, type FixtureOptions, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded, type Challenge} from './hand-made.ts';
import type {RuleEntry} from '../../shared/shapes.ts';
import {sampleFacts} from '../../paywall/payments/protocol/sample-facts.ts';

const path = '/api/v1/softfail3';

test('the 402 has no figures if the sample is not JSON, and the document is still sold', async () => {
  const documents = {read: () => Promise.resolve(new TextEncoder().encode('{"as_of":'))};
  const rule = {name: 'softfail3', sample: '/api/v1/samples/softfail3.json'} as RuleEntry;
  const {figures} = await sampleFacts(rule, '2026-05-01T12:00:00.000Z', documents);
  assert.deepEqual(figures, {});
});

describe('the 402', () => {
  let site: FixtureSite;
  let gate: Awaited<ReturnType<typeof gateOf>>;

  before(async () => {
    site = await fixtureSite();
    gate = await gateOf(site);
  });
  after(() => site.remove());

  test('requires the price of the rule, in atomic units of the dollar of the network, for the payee of the rules', async () => {
    const {x402Version, resource, accepts} = decoded(await gate.request(path), 'PAYMENT-REQUIRED');
    assert.equal(x402Version, 2);
    assert.equal(resource.url, baseUrl + path);
    assert.equal(accepts.length, 1);
    const {scheme, network, amount, payTo: payee, extra} = accepts[0] ?? assert.fail();
    assert.deepEqual(
      {scheme, network, amount, payee},
      {scheme: 'exact', network: 'eip155:84532', amount: '20000', payee: payTo},
    );
    assert.deepEqual(extra, {name: 'USDC', version: '2'});
  });

  test('has the unsigned event of the product as its body and is kept by no cache', async () => {
    const response = await gate.request(path);
    assert.equal(response.status, 402);
    assert.equal(response.headers.get('Content-Type'), 'application/json');
    assert.equal(response.headers.get('Cache-Control'), 'no-store');
    const {type, payload, sig} = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(
      {type, payload, sig},
      {type: 'payment_required', payload: {sku: 'softfail3', http_status: 402, settle_success: false}, sig: null},
    );
  });

  test('explains itself in the body: price, payee, document, sample, and how to pay', async () => {
    const [product = assert.fail()] = site.catalogue.products;
    const body = (await (await gate.request(path)).json()) as Record<string, unknown>;
    const {title, status, price, currency, networks, document, sample, links, how_to_pay: how} = body;
    assert.deepEqual([title, status, price, currency], ['Payment required', 402, '$0.02', 'USD']);
    const asset = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
    assert.deepEqual(networks, [{network: 'eip155:84532', currency: 'USDC', asset, payee: payTo}]);
    const {url, sha256, bytes} = product.paid;
    const words = {title: 'Soft Fail 3', description: 'Everything about Soft Fail 3.'};
    assert.deepEqual(document, {...words, url, sha256, bytes, as_of: product.as_of});
    assert.deepEqual(sample, {
      url: product.sample.url,
      reason: 'Soft Fail 3: 50 of 200 rows are dead.',
      figures: {rows_n: 200, dead_ratio: 0.25, largest: '9007199254740993', counts: {dead: 50, alive: 150}},
    });
    assert.deepEqual(links, {
      ...{
        openapi: `${baseUrl}/openapi.json`,
        product: `${baseUrl}/products/softfail3.html`,
        schema: product.schemas.paid.url,
      },
    });
    assert.match(JSON.stringify(how), /PAYMENT-SIGNATURE/);
  });

  test('repeats the payment requirements of the header in its body, with the reason of a refusal', async () => {
    for (const headers of [{}, {'PAYMENT-SIGNATURE': 'none'}]) {
      const response = await gate.request(path, {headers});
      const {extensions, ...required} = decoded(response, 'PAYMENT-REQUIRED') as Challenge & {extensions: object};
      const body = (await response.json()) as typeof required & {extensions: Record<string, unknown>};
      for (const [name, value] of Object.entries(required))
        assert.deepEqual(body[name as keyof typeof body], value, name);
      // The challenge to sign in differs in each response, and the body is computed once, so the body has no challenge.
      assert.deepEqual(
        Object.keys(body.extensions).sort(),
        Object.keys(extensions)
          .filter(name => name !== 'sign-in-with-x')
          .sort(),
      );
    }
  });

  test('links to the free sample and the schema', async () => {
    const link = (await gate.request(path)).headers.get('Link') ?? '';
    assert.match(link, /<\/api\/v1\/samples\/softfail3\.json>; rel="preview"/);
    assert.match(link, /<\/api\/v1\/schemas\/softfail3\.json>; rel="describedby"/);
  });

  test('describes the document in a discovery extension that facilitators accept', async () => {
    const asked = await gate.request(path);
    const {extensions} = decoded(asked, 'PAYMENT-REQUIRED') as Challenge & {extensions: {bazaar: DiscoveryExtension}};
    assert.deepEqual(validateDiscoveryExtension(extensions.bazaar), {valid: true});
    assert.equal(extensions.bazaar.info.output, undefined);
    const extension = await extensionIn(asked);
    assert.deepEqual(validateDiscoveryExtension(extension), {valid: true});
    assert.deepEqual(extension.info.output?.example, {name: 'softfail3', rows: []});
    assert.match(JSON.stringify(extension.schema), /"rows":\{"type":"array"\}/);
  });

  test('names the digest and the date of the document, and refuses a payment that echoes others', async () => {
    const asked = await gate.request(path);
    const [product] = site.catalogue.products;
    const challenge = decoded(asked, 'PAYMENT-REQUIRED') as Challenge & {extensions: {snapshot: {info: unknown}}};
    const offered = {sha256: product?.paid.sha256, as_of: product?.as_of};
    assert.deepEqual(challenge.extensions.snapshot.info, offered);
    const buyer = privateKeyToAccount(generatePrivateKey());
    const reasons = [];
    for (const sha256 of [offered.sha256, '0'.repeat(64)]) {
      const extensions = {snapshot: {...challenge.extensions.snapshot, info: {...offered, sha256}}};
      const payment = encoded(await forge(challenge, buyer, {root: {extensions}, accepted: {scheme: 'none'}}));
      const refusal = await gate.request(path, {headers: {'PAYMENT-SIGNATURE': payment}});
      assert.equal(refusal.status, 402);
      reasons.push(decoded(refusal, 'PAYMENT-REQUIRED').error);
    }
    assert.match(String(reasons[0]), /matching/);
    assert.equal(reasons[1], 'document_changed');
  });

  test('omits the example and the schema of a document with an example of more than 16 kB', async () => {
    const filler = (length: number) => ({name: 'x', rows: [], note: 'x'.repeat(length)});
    for (const [length, kept] of [
      [12_000, true],
      [17_000, false],
    ] as const) {
      const large = await fixtureSite({
        alter({rules}) {
          for (const rule of rules.rules) rule.example = filler(length);
        },
      });
      const extension = await extensionIn(await (await gateOf(large)).request(path));
      assert.deepEqual(validateDiscoveryExtension(extension), {valid: true});
      assert.equal(extension.info.output !== undefined, kept);
      await large.remove();
    }
  });

  test('is a page for a browser, with all texts escaped and only its own script', async () => {
    const headers = {Accept: 'text/html,*/*', 'User-Agent': 'Mozilla/5.0'};
    const response = await gate.request('/api/v1/firstlastsame', {headers});
    const page = await response.text();
    assert.equal(response.status, 402);
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/html/);
    assert.ok(response.headers.get('PAYMENT-REQUIRED'));
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    for (const directive of ["default-src 'none'", "connect-src 'self'", 'img-src data:', "frame-ancestors 'none'"])
      assert.ok(policy.includes(directive), policy);
    const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)];
    const [[, script = ''] = assert.fail('no script')] = scripts;
    assert.deepEqual([scripts.length, page.split('<script').length], [1, 2]);
    assert.ok(policy.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`));
    assert.ok(Buffer.byteLength(script) <= 13_400, `${Buffer.byteLength(script)} bytes`);
    assert.ok(page.includes('First &lt;Last&gt; &amp; &quot;Same&quot;'));
    assert.ok(!page.includes('<Last>'));
    assert.ok(page.includes('$0.02'));
    assert.ok(page.includes('href="/products/firstlastsame.html#sample"'));
    assert.ok(!page.includes(canary));
  });

  test('states the number of rows of the document in its body, and on a page that links to the figures', async () => {
    const site = await fixtureSite({
      alter: ({catalogue}) => Object.assign(catalogue.products[0]?.paid ?? {}, {rows: 1234}),
    });
    const gate = await gateOf(site);
    const {document} = (await (await gate.request(path)).json()) as {document: {rows: number; bytes: number}};
    assert.equal(document.rows, 1234);
    const headers = {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'};
    const page = await (await gate.request(path, {headers})).text();
    assert.ok(page.includes(`<dd>1,234 rows, JSON, ${document.bytes.toLocaleString('en-US')} bytes</dd>`), page);
    assert.ok(page.includes('href="/products/softfail3.html"'));
    await site.remove();
  });

  test('its page says what one payment for a pass includes', async () => {
    const pass = {next: 4};
    const site = await fixtureSite({
      alter({rules, catalogue}) {
        Object.assign(rules.rules[0] ?? {}, {pass});
        Object.assign(catalogue.products[0] ?? {}, {pass: {next: 4}});
      },
    });
    const headers = {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'};
    const passes = await gateOf(site);
    const pages = await Promise.all(
      site.paidPaths.map(async address => (await passes.request(address, {headers})).text()),
    );
    assert.deepEqual(
      pages.map(page => page.includes('is for this snapshot and the next 4 snapshots.')),
      [true, false, false],
    );
    await site.remove();
  });

  test('its page gives its script the payment requirements of the header', async () => {
    const hostile = `"'><script>alert(1)</script>\u202e`;
    const accepts = ['eip155:84532', 'eip155:2201'].map(network => ({network, pay_to: payTo}));
    const two = await fixtureSite({
      accepts,
      alter({rules}) {
        for (const rule of rules.rules)
          Object.assign(rule, {title: rule.title + hostile.slice(0, -1), description: hostile});
      },
    });
    const response = await (
      await gateOf(two)
    ).request(path, {
      headers: {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'},
    });
    const page = await response.text();
    assert.ok(!page.includes('<script>alert') && !page.includes('\u202e'));
    const [, data = ''] = /data-terms="([^"]*)"/.exec(page) ?? [];
    const json = data
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    const {ways, ...terms} = JSON.parse(json.replaceAll('&amp;', '&')) as {ways: {accepted: unknown; name: string}[]};
    const required = decoded(response, 'PAYMENT-REQUIRED') as Challenge & {extensions: {snapshot: {info: unknown}}};
    assert.deepEqual(
      ways.map(({accepted, name}) => ({accepted, name})),
      ['Base Sepolia', 'Stable Testnet'].map((name, at) => ({accepted: required.accepts[at], name})),
    );
    assert.deepEqual(terms, {
      title: `Soft Fail 3${hostile.slice(0, -1)}`,
      asOf: '2026-05-01 00:00:00 UTC',
      url: required.resource.url,
      file: 'softfail3.json',
      type: 'application/json; charset=utf-8',
      snapshot: required.extensions.snapshot.info,
    });
    await two.remove();
  });

  test('is JSON for a program that accepts any type', async () => {
    const response = await gate.request(path, {headers: {Accept: '*/*', 'User-Agent': 'Mozilla/5.0'}});
    assert.equal(response.headers.get('Content-Type'), 'application/json');
  });

  test('can be read, answered and paid by a browser wallet of another origin', async () => {
    const preflight = await gate.request(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://wallet.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'payment-signature,access-control-expose-headers',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(preflight.headers.get('Access-Control-Allow-Methods'), 'GET', 'a paid path knows no HEAD');
    assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /PAYMENT-SIGNATURE/);
    assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /Access-Control-Expose-Headers/);
    const challenge = await gate.request(path, {headers: {Origin: 'https://wallet.example'}});
    assert.equal(challenge.headers.get('Access-Control-Allow-Origin'), '*');
    for (const name of ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Retry-After', 'Link']) {
      assert.ok(challenge.headers.get('Access-Control-Expose-Headers')?.includes(name), name);
    }
  });

  test('is the same for a payment in the header of version 1, and names the error of a payment', async () => {
    const first = await gate.request(path, {headers: {'X-PAYMENT': 'e30='}});
    assert.equal(decoded(first, 'PAYMENT-REQUIRED').error, 'Payment required');
    const malformed = await gate.request(path, {headers: {'PAYMENT-SIGNATURE': 'e30='}});
    assert.equal(malformed.status, 400);
    assert.equal(decoded(malformed, 'PAYMENT-REQUIRED').error, 'invalid_payload');
  });

  test('names every network that is accepted', async () => {
    const accepts = ['eip155:84532', 'eip155:421614'].map(network => ({network, pay_to: payTo}));
    const both = await fixtureSite({accepts} satisfies FixtureOptions);
    const asked = decoded(await (await gateOf(both)).request(path), 'PAYMENT-REQUIRED').accepts;
    assert.deepEqual(
      asked.map(({network, extra}) => [network, extra.name]),
      [
        ['eip155:84532', 'USDC'],
        ['eip155:421614', 'USD Coin'],
      ],
    );
    await both.remove();
  });
});

async function gateOf(site: FixtureSite) {
  const open = await openSite(site.root);
  const services = openServices({
    ledger: await openSqlite(':memory:'),
    facilitator: new HttpFacilitator('http://127.0.0.1:1'),
    recover: recoverOnNode,
    keepAlive: () => undefined,
  });
  return createGate({...open, services});
}

async function extensionIn(response: Response): Promise<DiscoveryExtension> {
  const {extensions} = (await response.json()) as {extensions: {bazaar: DiscoveryExtension}};
  return extensions.bazaar;
}
