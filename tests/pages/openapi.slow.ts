import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import * as discovery from '@agentcash/discovery';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {CLASS_SHARE, denySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {decoded} from '../paywall/hand-made.ts';
import {createConfig, lint} from '../extra/redocly.js';
import {SpectralCore, SpectralRulesets, type RulesetDefinition} from '../extra/spectral.js';
import {PROJECT} from '../project.ts';
import {openShop} from './shop.ts';

const {Spectral} = SpectralCore;
const {oas} = SpectralRulesets;

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

type Responses = Readonly<Record<string, {readonly content?: Readonly<Record<string, Media>>}>>;

interface Operation {
  readonly operationId: string;
  readonly responses: Responses;
  readonly 'x-payment-info'?: {readonly price: {readonly amount: string}};
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly info: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, {readonly schema: {readonly pattern?: string}}>>;
    readonly responses: Responses;
  };
}

/**
 * The members of the body of a 402 in addition to the payment requirements. These tools report an error if one is
 * missing.
 */
const REQUIRED = {requireInputSchema: true, requireOutputSchema: true};

const LICENSE = {name: 'Some terms', url: 'https://test.example/terms'};

/** Makes a site that sells this many documents. */
async function siteOf(count: number): Promise<SiteFixture> {
  const site = await denySite();
  await site.write('data/site.json', {...SITE, license: LICENSE});
  for (let index = 1; index < count; index++)
    await site.write(`data/products/${index}.json`, {...CLASS_SHARE, title: `Soft Fail No ${index}`, price: '$0.05'});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}

/** Returns the findings of the discovery tools for an origin, which they read over HTTP. */
async function warningsOf(origin: string): Promise<string[]> {
  const openapi = (await discovery.getOpenAPI(origin))._unsafeUnwrap();
  assert.ok(openapi && !discovery.isOpenApiParseFailure(openapi));
  const routes = discovery.checkL2ForOpenAPI(openapi);
  const paid = openapi.routes.map(({path, method}) => discovery.getL3ForOpenAPI(openapi, path, method));
  const legacy = (await discovery.probeLegacyWellKnown(origin))._unsafeUnwrap();
  const favicon = (await discovery.getWarningsForFavicon(origin))._unsafeUnwrap();
  return [
    ...discovery.getWarningsForOpenAPI(openapi),
    ...discovery.getWarningsForL2(routes),
    ...paid.flatMap(discovery.getWarningsForL3),
    ...discovery.getWarningsForL4(discovery.checkL4ForOpenAPI(openapi)),
    ...discovery.getWarningsForLegacyWellKnown(legacy),
    ...favicon,
  ].map(({code, message}) => `${code}: ${message}`);
}

/** Returns the findings of the linters. They read over HTTP, so that references to published schemas are followed. */
async function problemsOf(origin: string): Promise<string[]> {
  const address = `${origin}/openapi.json`;
  const config = await createConfig({extends: ['recommended-strict']});
  const problems = await lint({ref: address, config});
  return [
    ...problems.map(({ruleId, severity, message, location}) => {
      const place = location.map(({pointer}) => pointer).join(' ');
      return `${severity} ${ruleId}: ${message} ${place}`;
    }),
    ...(await findingsIn(await (await fetch(address)).json())),
  ];
}

/** Returns the findings of `spectral:oas`. */
async function findingsIn(description: unknown): Promise<string[]> {
  const spectral = new Spectral();
  // The package's types for its rules are less strict than those of its parameters.
  spectral.setRuleset({extends: [oas as unknown as RulesetDefinition]});
  const findings = await spectral.run(description as Record<string, unknown>);
  return findings.map(({code, path, message}) => `${code}: ${message} ${path.join('/')}`);
}

describe('openapi.json of the example site', () => {
  let shop: Listening;
  let description: Description;

  before(async () => {
    shop = await openShop(EXAMPLE);
    description = (await (await fetch(`${shop.url}/openapi.json`)).json()) as Description;
  });
  after(() => shop.stop());

  test('@agentcash/discovery has no warning', async () => {
    assert.deepEqual(await warningsOf(shop.url), []);
  });

  test('@agentcash/discovery has no warning about any 402, and reads the price and the document', async () => {
    const {rules} = (await readJson(EXAMPLE, 'paywall/rules/rules.json')) as {rules: {path: string}[]};
    assert.ok(rules.length > 0);
    for (const {path} of rules) {
      const response = await fetch(shop.url + path);
      const header = discovery.validatePaymentRequiredDetailed(decoded(response, 'PAYMENT-REQUIRED'));
      const faults = header.issues.filter(({code}) => code !== 'SCHEMA_OUTPUT_MISSING');
      assert.deepEqual([header.valid, faults], [true, []], path);
      const asked: unknown = await response.json();
      const {valid, issues} = discovery.validatePaymentRequiredDetailed(asked, REQUIRED);
      assert.deepEqual([valid, issues, discovery.getWarningsFor402Body(asked)], [true, [], []], path);
    }
  });

  test('@redocly/openapi-core with its strictest rules and spectral:oas find nothing', async () => {
    assert.deepEqual(await problemsOf(shop.url), []);
  });

  test('it describes every document of the catalogue, and the prices are those of the rules', async () => {
    const rules = await readJson(EXAMPLE, 'paywall/rules/rules.json');
    const priced = (rules['rules'] as {path: string; price: string}[]).map(({path, price}) => [path, price]);
    const described = Object.entries(description.paths).flatMap(([path, {get}]) => {
      const info = get?.['x-payment-info'];
      return info ? [[path, `$${info.price.amount}`]] : [];
    });
    assert.deepEqual(described, priced);
    const catalogue = JSON.stringify(await readJson(EXAMPLE, 'public/api/v1/index.json'));
    const addresses = [...catalogue.matchAll(/"https:\/\/snapshots\.example(\/[^"]*)"/g)].map(([, path]) => path);
    assert.equal(addresses.length, 5 * priced.length);
    const free = (path: string) => path.replace(/\/(\w+)(\.(sample|schema))?\.json$/, '/{name}$2.json');
    for (const path of addresses)
      assert.ok((description.paths[path ?? ''] ?? description.paths[free(path ?? '')])?.['get'], path);
  });

  test('the responses of the gate have the documented status, type and schema', async () => {
    for (const [template, {get}] of Object.entries(description.paths)) {
      const path = template.replace('{name}', 'softfail3');
      const response = await fetch(shop.url + path);
      assert.equal(response.status, get?.['x-payment-info'] ? 402 : 200, path);
      if (response.status === 402)
        assert.deepEqual(get?.responses[402], {$ref: '#/components/responses/PaymentRequired'}, path);
      const [type = ''] = response.headers.get('content-type')?.split(';') ?? [];
      const status =
        response.status === 402 ? description.components.responses['PaymentRequired'] : get?.responses[200];
      const media = status?.content?.[type];
      assert.ok(media, `${path}: ${response.status} ${type}`);
      const body = type === 'application/json' ? await response.json() : await response.text();
      assertValid(description, media.schema, body, path);
    }
  });

  test('a payment that cannot be decoded is answered with 400 as documented', async () => {
    const {content = {}} = description.components.responses['UnreadablePayment'] ?? {};
    for (const [path, {get}] of Object.entries(description.paths)) {
      if (!get?.['x-payment-info']) continue;
      assert.deepEqual(get.responses[400], {$ref: '#/components/responses/UnreadablePayment'}, path);
      const response = await fetch(shop.url + path, {headers: {'PAYMENT-SIGNATURE': 'e30='}});
      assert.equal(response.status, 400, path);
      const body = (await response.json()) as {status: number};
      assert.equal(body.status, 400);
      assertValid(description, content['application/json']?.schema ?? assert.fail(), body, path);
    }
  });

  test('the example of the catalogue is valid by its schema', () => {
    const {schema, example} =
      description.paths['/api/v1/index.json']?.['get']?.responses[200]?.content?.['application/json'] ?? assert.fail();
    assert.ok(example);
    assertValid(description, schema, example, 'catalogue');
  });

  test('it contains no sold rows', () => {
    const text = JSON.stringify(description);
    assert.ok(!text.includes('https://xenon.example/shop'), 'a paid row is in an example');
  });
});

test('spectral:oas finds nothing in the openapi.json of the site of this repository', async () => {
  assert.deepEqual(await findingsIn(await readJson(PROJECT, 'public/openapi.json')), []);
});

test('sixty products are described without findings: paid paths separately, free ones together', async () => {
  await using site = await siteOf(60);
  await using shop = await openShop(site.root);
  const warnings = await warningsOf(shop.url);
  assert.deepEqual(
    warnings.filter(warning => !warning.startsWith('L2_ROUTE_COUNT_HIGH')),
    [],
  );
  assert.deepEqual(await problemsOf(shop.url), []);
  const text = await (await fetch(`${shop.url}/openapi.json`)).text();
  assert.equal(Object.keys((JSON.parse(text) as Description).paths).length, 60 + 3 + 4);
});

test('only the first thousand products are described, and the name of every product follows the pattern', async () => {
  await using site = await siteOf(1001);
  const {paths, components} = (await readJson(site.root, 'public/openapi.json')) as unknown as Description;
  assert.equal(Object.keys(paths).length, 1000 + 3 + 4);
  const {pattern = ''} = components.parameters['Name']?.schema ?? {};
  const {rules} = (await readJson(site.root, 'paywall/rules/rules.json')) as {rules: {name: string}[]};
  assert.equal(rules.length, 1001);
  for (const {name} of rules) assert.match(name, new RegExp(pattern, 'u'));
});

test('a site without contact, licence and description is described without a warning', async () => {
  await using site = await denySite();
  await site.build();
  await using shop = await openShop(site.root);
  assert.deepEqual(await warningsOf(shop.url), []);
  const {info} = (await readJson(site.root, 'public/openapi.json')) as unknown as Description;
  assert.deepEqual(info['contact'], {name: 'Test Site', url: 'https://test.example/'});
});

test('agentcash accepts a site as its owner’s after the payee proved the ownership', async () => {
  await using site = await denySite();
  const account = privateKeyToAccount(generatePrivateKey());
  const payment = {...SITE.payment, accepts: [{network: 'eip155:84532', pay_to: account.address}]};
  const proof = await account.signMessage({message: SITE.base_url});
  await site.write('data/site.json', {...SITE, license: LICENSE, payment, ownership_proofs: [proof]});
  assert.equal((await site.build()).code, 0);
  await using shop = await openShop(site.root);
  const found = await discovery.discoverOriginSchema({target: shop.url});
  assert.ok(found.found);
  assert.deepEqual([found.trustTier, found.ownershipProofs], ['ownership_verified', [proof]]);
  assert.deepEqual([await warningsOf(shop.url), await problemsOf(shop.url)], [[], []]);
});

/** Adds the description as a document, because its schemas refer to it. */
function assertValid(description: object, schema: object, value: unknown, where: string): void {
  const ajv = new Ajv2020({strict: false});
  addFormats.default(ajv);
  ajv.addSchema(description, 'openapi');
  const validate = ajv.compile(absolute(schema));
  assert.ok(validate(value), `${where}: ${ajv.errorsText(validate.errors)}`);
}

/** Returns the schema with references into the description. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
}
