import {editionName, editionTitle, editionPath, FORMATS, JSON_TYPE, OPENAPI, paths} from '../../shared/paths.ts';
import {catalogueOf} from '../documents/catalogue.ts';
import type {Edition, ProductRecord} from '../documents/record.ts';
import {encode} from '../../shared/encode.ts';
import type {Json} from '../kinds/kind.ts';
import type {Site} from '../read/site.ts';
import {describe, editionContents, SHOWN_EDITIONS, sourcesInWords, termsOf} from './html/words.ts';
import {commonParameters, commonResponses, commonSchemas, header, paidParameters} from './openapi/components.ts';
import {listedIn, mediaType, type Page, type SiteFile} from './page.ts';

/** Each paid path takes 2 kB. */
const MOST_NAMED = 1000;
/** The longest guidance that discovery tools accept, in characters. */
const MOST_GUIDANCE = 4000;

/**
 * OpenAPI 3.1 of every path. Free paths are described once for all products. Paid paths have the prices, so each is described; it links its
 * published schema, because discovery tools do not follow a `$ref` to another file. The catalogue has all of them.
 */
export default {
  path: OPENAPI,
  type: JSON_TYPE,
  relation: 'service-desc',
  listed: {
    index: ['OpenAPI', 'Every path, its price, and a link to its schema.'],
    llms: ['OpenAPI 3.1', 'every path and price'],
  },

  compose(site, products, siteFiles) {
    const paid = products.slice(0, MOST_NAMED).flatMap(product => paidPaths(product, site.base_url));
    return encode({
      openapi: '3.1.0',
      info: infoOf(site, products),
      ...(site.ownership_proofs && {'x-discovery': {ownershipProofs: site.ownership_proofs}}),
      servers: [{url: site.base_url}],
      tags: [
        {name: 'free', description: 'Read before buying.'},
        {name: 'paid', description: 'Answered with 402 until paid.'},
      ],
      paths: Object.fromEntries([...siteFilePaths(site, products, siteFiles), ...paid, ...freePaths]),
      components: {schemas: commonSchemas, responses: commonResponses, parameters: commonParameters},
    });
  },
} satisfies Page;

function infoOf(site: Site, products: readonly ProductRecord[]): Json {
  return {
    title: site.title,
    version: '1.0.0',
    summary: describe(site),
    description: `Frozen JSON documents. Free paths answer GET and HEAD, paid paths GET and OPTIONS, each spelled exactly as here. The shape of v1 never changes; a changed shape is v2 with other paths.${classesOf(products)}`,
    'x-guidance': guidance(products),
    contact: {name: site.title, ...(site.contact ?? {url: `${site.base_url}/`})},
    ...(site.license && {license: site.license}),
  };
}

/** The members of documents that may get further classes, if a product has them. */
function classesOf(products: readonly ProductRecord[]): string {
  const members = ['counts', 'class_mix'].filter(name => products.some(({published}) => name in published.figures));
  return members.length === 0
    ? ''
    : ` Only ${members.join(' and ')} may get further classes, which are integers from 0.`;
}

/** The instructions for agents, with as many prices as fit. */
function guidance(products: readonly ProductRecord[]): string {
  const how =
    'GET /api/v1/index.json is free and lists every product with price, as_of, size and SHA-256. ' +
    'Each has a free sample at /api/v1/samples/{name}.json. GET /api/v1/{name} is paid: it answers 402 with x402 v2 ' +
    'terms in the header PAYMENT-REQUIRED; send it again with PAYMENT-SIGNATURE. A document changes only with its as_of: ' +
    'compare its SHA-256 in the catalogue before paying twice.';
  const lines = products.map(
    ({name, price, difference}) => `GET ${paths.paid(name)} costs ${price.text.slice(1)} USD: it ${difference}.`,
  );
  return lines.reduce((text, line) => (text.length + line.length < MOST_GUIDANCE ? `${text}\n${line}` : text), how);
}

/** A path with its only operation. */
type Path = readonly [path: string, item: {readonly get: Json}];

const schema = (name: string) => ({$ref: `#/components/schemas/${name}`});
const response = (name: string) => ({$ref: `#/components/responses/${name}`});
const byName = [{$ref: '#/components/parameters/Name'}];

/** The free paths of the site that do not belong to a product, for programs. */
function siteFilePaths(site: Site, products: readonly ProductRecord[], siteFiles: readonly SiteFile[]): Path[] {
  // The example catalogue has only the first product. The complete one contains the digest of this file, which is not yet computed.
  const catalogue = {schema: schema('Catalogue'), example: catalogueOf(site, products.slice(0, 1), [])};
  return listedIn('openapi', siteFiles).map(({title: id, purpose: summary, ...file}) => {
    const media = file.path === paths.catalogue ? catalogue : {schema: {type: 'string'}};
    return [file.path, free(id, summary, {[mediaType(file)]: media})];
  });
}

/** The free paths of a product, described once for all products. */
const freePaths: readonly Path[] = (
  [
    ['sample', 'sample', 'Sample of a product', {type: 'object'}],
    ['history', 'history', 'Figures of a product at every freeze', {type: 'object'}],
    ['paidSchema', 'schema', 'JSON Schema of a product', schema('JsonSchema')],
    ['sampleSchema', 'sample_schema', 'JSON Schema of the sample of a product', schema('JsonSchema')],
  ] as const
).map(([document, id, summary, schema]) => [
  paths[document]('{name}'),
  free(id, summary, {'application/json': {schema}}, byName),
]);

function free(operationId: string, summary: string, content: Json, parameters?: readonly Json[]) {
  const responses = {
    200: {description: summary, headers: {ETag: header('Changes with the bytes.')}, content},
    304: response('NotModified'),
    404: response('NotFound'),
    default: response('Problem'),
  };
  const description = `${summary}. Free. Send If-None-Match to get it only if it has changed.`;
  return {get: {operationId, tags: ['free'], summary, description, security: [], responses, parameters}};
}

/** The paid paths of a product: the first document, which links its schema, and the first of its parts and formats. */
function paidPaths(product: ProductRecord, base_url: string): Path[] {
  const {name, title, difference, freezes, editions} = product;
  const terms = termsOf(product);
  const externalDocs = {description: 'Its JSON Schema', url: base_url + paths.paidSchema(name)};
  const first = `${title}: ${difference}. ${terms}.${sourcesInWords(freezes)}`;
  return [
    paidPath(product, {format: 'json'}, first, {externalDocs}),
    ...editions.slice(0, SHOWN_EDITIONS).map(edition => {
      return paidPath(product, edition, `${editionTitle(title, edition)}: ${editionContents(edition)}. ${terms}.`);
    }),
  ];
}

/** A paid path, with the price in the form that discovery tools read. */
function paidPath(
  {name, title, price}: ProductRecord,
  edition: Pick<Edition, 'format' | 'part'>,
  description: string,
  more: Json = {},
): Path {
  const headers = {'PAYMENT-RESPONSE': header('The receipt: an x402 settlement response, JSON in base64.')};
  const media = edition.format === 'json' ? {schema: {type: 'object'}} : {};
  const operation = {
    operationId: `buy_${editionName(name, edition).replaceAll(/[^a-z0-9]/g, '_')}`,
    tags: ['paid'],
    summary: `Buy ${editionTitle(title, edition)}`,
    description,
    security: [],
    'x-payment-info': {price: {mode: 'fixed', currency: 'USD', amount: price.text.slice(1)}, protocols: [{x402: {}}]},
    parameters: Object.keys(paidParameters).map(name => ({$ref: `#/components/parameters/${name}`})),
    responses: {
      200: {
        description: 'The document. It is paid for, by this payment or an earlier one.',
        headers,
        content: {[mediaType(FORMATS[edition.format])]: media},
      },
      400: response('UnreadablePayment'),
      402: response('PaymentRequired'),
      404: response('NotFound'),
      409: response('InFlight'),
      503: response('Unavailable'),
      default: response('Problem'),
    },
  };
  return [editionPath(name, edition), {get: {...operation, ...more}}];
}
