import assert from 'node:assert/strict';
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {after, describe, mock, test} from 'node:test';
import {Validator} from '@cfworker/json-schema';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {InMemoryTransport} from '@modelcontextprotocol/sdk/inMemory.js';
import {extractDiscoveryInfo, validateBazaarRouteExtensions, validateDiscoveryExtension} from '@x402/extensions/bazaar';
import {PAYMENT_IDENTIFIER, validatePaymentIdentifier} from '@x402/extensions/payment-identifier';
import {Ajv} from 'ajv';
import {Ajv2020} from 'ajv/dist/2020.js';
import {OFFER_RECEIPT} from '../../shared/payment-protocol.ts';
import {editionPath, paths} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {makeOffer, type Offer} from '../../paywall/payments/protocol/offer.ts';
import {withReceipt} from '../../paywall/payments/protocol/signed-receipt.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {itemsOf} from '../../paywall/site/site.ts';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop} from '../../buyer/mcp/shop.ts';
import {newFolder} from '../buy/stall.ts';
import {PROJECT} from '../project.ts';
import {everyTypeSite} from './every-type-site.ts';
import {readJson} from './tree.ts';

type Json = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({strict: true});
// The SDK of MCP produces schemas of draft 7.
ajv.addMetaSchema(new Ajv().getSchema('http://json-schema.org/draft-07/schema')?.schema as Json);

/** Compiles a schema with each validator. Returns a function that checks whether a value is valid. */
const VALIDATORS: Readonly<Record<string, (schema: Json) => (value: unknown) => unknown>> = {
  'Ajv 2020 in strict mode': schema => {
    const validate = ajv.compile(schema);
    ajv.removeSchema();
    return validate;
  },
  '@cfworker/json-schema': schema => {
    const validator = new Validator(schema, '2020-12');
    return value => validator.validate(value).valid;
  },
};

const every = await everyTypeSite();
after(() => every[Symbol.asyncDispose]());

const ROOTS = [PROJECT, every.root];
const OFFERS = (await Promise.all(ROOTS.map(offersOf))).flat();

test('every reference in openapi.json has a component as its target', async () => {
  for (const root of ROOTS) {
    const {components, ...others} = await readJson(root, 'public/openapi.json');
    const text = JSON.stringify([others, components]);
    for (const [, group = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"/]+)/g))
      assert.ok(Object.hasOwn((components as Record<string, object>)[group] ?? {}, name), `${root}: ${group}/${name}`);
  }
});

for (const [name, compile] of Object.entries(VALIDATORS))
  describe(name, () => {
    const assertValid = (schema: Json, values: readonly unknown[], of: string) => {
      const validate = compile(schema);
      for (const value of values) assert.ok(validate(value), `${of}: ${JSON.stringify(value).slice(0, 500)}`);
    };

    test('compiles the schemas of all documents, and the documents are valid', async () => {
      for (const root of ROOTS)
        for (const {file, schema, documents} of await documentSchemas(root)) assertValid(schema, documents, file);
    });

    test('compiles every schema in openapi.json, and its examples are valid', async () => {
      for (const root of ROOTS)
        for (const {at, schema, examples} of await describedSchemas(root)) assertValid(schema, examples, at);
    });

    test('compiles the schemas of a 402 and of a receipt, and their values are valid', async () => {
      for (const offer of OFFERS)
        for (const {name, schema, info} of await extensionsOf(offer))
          // This schema describes the response to a challenge.
          assertValid(schema, name === 'sign-in' ? [] : [info], name);
    });

    test('compiles the schemas of the MCP tools', async () => {
      for (const {name, inputSchema, outputSchema = {}} of await mcpTools())
        for (const schema of [inputSchema, outputSchema]) assertValid(schema, [], name);
    });
  });

test('a stock facilitator that validates the extensions of a payment logs nothing', () => {
  const logged = (['log', 'info', 'warn', 'error'] as const).map(level => mock.method(console, level, () => undefined));
  for (const {required, url} of OFFERS) {
    const {extensions = {}, resource, accepts} = required;
    const [accepted = assert.fail()] = accepts;
    const bazaar = extensions['bazaar'] as Parameters<typeof validateDiscoveryExtension>[0];
    assert.deepEqual(validateDiscoveryExtension(bazaar), {valid: true});
    assert.deepEqual(validatePaymentIdentifier(extensions[PAYMENT_IDENTIFIER]), {valid: true});
    validateBazaarRouteExtensions({[`GET ${url}`]: {accepts: [], extensions}});
    const payload = {x402Version: 2, resource, accepted, payload: {}, extensions};
    assert.equal(extractDiscoveryInfo(payload, accepted)?.resourceUrl, url);
  }
  const lines = logged.flatMap(({mock: {calls}}) => calls.map(call => call.arguments));
  mock.restoreAll();
  assert.deepEqual(lines, []);
});

/** Returns every published schema of a document, with its documents. */
async function documentSchemas(root: string) {
  const {products} = (await readJson(root, 'public/api/v1/index.json')) as unknown as Catalogue;
  const read = (path: string) => readJson(root, `public${path}`);
  const found: {file: string; schema: Json; documents: Json[]}[] = [];
  for (const {name, editions = []} of products) {
    const sample = await read(paths.sample(name));
    const paid = await read(paths.paid(name));
    const parts = editions.filter(({format}) => format === 'json').map(edition => read(editionPath(name, edition)));
    found.push({file: paths.sampleSchema(name), schema: await read(paths.sampleSchema(name)), documents: [sample]});
    found.push({
      file: paths.paidSchema(name),
      schema: await read(paths.paidSchema(name)),
      documents: [paid, ...(await Promise.all(parts))],
    });
    if (sample['schema']) found.push({file: 'its sample', schema: sample['schema'] as Json, documents: [paid]});
  }
  assert.deepEqual(
    new Set(found.map(({file}) => file.split('/').at(-1)).filter(file => file?.endsWith('.json'))),
    new Set(await readdir(join(root, 'public/api/v1/schemas'))),
  );
  return found;
}

interface Described {
  readonly at: string;
  readonly schema: Json;
  readonly examples: readonly unknown[];
}

/** Returns every schema in openapi.json with its example. */
async function describedSchemas(root: string): Promise<Described[]> {
  const openapi = await readJson(root, 'public/openapi.json');
  const {schemas} = openapi['components'] as {schemas: Readonly<Record<string, Json>>};
  const below = (value: unknown, at: string): Described[] => {
    if (typeof value !== 'object' || value === null) return [];
    const {schema, example} = value as {schema?: Json; example?: unknown};
    const named = schemas[String(schema?.['$ref']).replace('#/components/schemas/', '')];
    return [
      ...(schema ? [{at, schema: named ?? schema, examples: example === undefined ? [] : [example]}] : []),
      ...Object.entries(value).flatMap(([member, inner]) =>
        ['schema', 'schemas', 'example'].includes(member) ? [] : below(inner, `${at}/${member}`),
      ),
    ];
  };
  return [
    ...below(openapi, 'openapi.json'),
    ...Object.entries(schemas).map(([at, schema]) => ({at, schema, examples: []})),
  ];
}

async function offersOf(root: string): Promise<Offer[]> {
  const {rules, catalogue, documents} = await openSite(root);
  const paid = [...itemsOf(rules, catalogue).values()].filter(item => item.kind === 'paid');
  assert.ok(paid.length > 4);
  return Promise.all(paid.map(item => makeOffer(item, rules, documents, sign)));
}

function sign(): Promise<string> {
  return Promise.resolve('a.b.c');
}

/** Returns the extensions of a 402 with everything that a gate can add to it, and of a receipt. */
async function extensionsOf({required, signed, signIn}: Offer) {
  const answer = {success: true, transaction: '0x', network: 'eip155:84532'} as const;
  const sale = {network: answer.network, asset: '', payer: '', payTo: '', amount: '', price: '', url: ''};
  const receipt = await withReceipt(answer, sale as never, {sha256: '', as_of: ''}, sign, 0);
  const all = [
    ...Object.entries(required.extensions ?? {}),
    ['offers', await signed?.()],
    ['receipt', receipt.extensions?.[OFFER_RECEIPT]],
    ['sign-in', signIn],
  ] as const;
  return all.map(([name, extension]) => ({name, ...(extension as {schema: Json; info: unknown})}));
}

async function mcpTools() {
  const folder = await newFolder();
  const stopping = new AbortController().signal;
  const shop = new Shop({origin: 'http://127.0.0.1:1', folder, askAbove: 0, stopping, onError: assert.ifError});
  const [client, ours] = [new Client({name: 'test', version: '1'}), InMemoryTransport.createLinkedPair()];
  await newServer(shop).connect(ours[0]);
  await client.connect(ours[1]);
  const {tools} = await client.listTools();
  await client.close();
  return tools;
}
