import {JSON_TYPE, OPENAPI, paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import {encode} from '../../shared/encode.ts';
import type {Json} from '../kinds/kind.ts';
import type {Site} from '../read/site.ts';
import {describe, SHOWN_EDITIONS} from './html/words.ts';
import {commonResponses, commonSchemas, paymentRequired} from './openapi/components.ts';
import {paidParameters, productName, schemaComponents} from './openapi/components.ts';
import {anyPaidPath, briefPaidPath, editionPaths, freePaths, paidPath, paperPaths} from './openapi/operations.ts';
import type {Page} from './page.ts';

/** Discovery tools warn about more operations. */
const MOST_OPERATIONS = 40;
/** The paid document, the sample, the history and two schemas. Each further format or part has one more. */
const OPERATIONS_EACH = 5;
/** Each paid path that is listed separately takes 2 kB. */
const MOST_NAMED = 1000;
/** The longest guidance that discovery tools accept, in characters. */
const MOST_GUIDANCE = 4000;

/**
 * OpenAPI 3.1 of every path. With few products, each path is described with its own schema. With more, the free paths are described once
 * for all products; the paid ones, which have the prices, link their published schema, because discovery tools do not follow a `$ref` to
 * another file. With very many, the paid paths are described once as well.
 */
export default {
  path: OPENAPI,
  type: JSON_TYPE,
  relation: 'service-desc',
  listed: {
    index: ['OpenAPI', 'Every path, its schemas, examples and prices.'],
    llms: ['OpenAPI 3.1', 'every path, schema and price'],
  },

  compose(site, products, papers) {
    const ofSite = paperPaths(site, products, papers);
    const editions = products.reduce((sum, product) => sum + product.editions.length, 0);
    const areFew = ofSite.length + OPERATIONS_EACH * products.length + editions <= MOST_OPERATIONS;
    const {paths, schemas, responses, parameters} = areFew ? eachOf(site, products) : together(site, products);
    return encode({
      openapi: '3.1.0',
      info: infoOf(site, products),
      ...(site.ownership_proofs && {'x-discovery': {ownershipProofs: site.ownership_proofs}}),
      servers: [{url: site.base_url}],
      tags: [
        {name: 'free', description: 'Read before buying.'},
        {name: 'paid', description: 'Answered with 402 until paid.'},
      ],
      paths: Object.fromEntries([...ofSite, ...paths]),
      components: {
        schemas: {...commonSchemas, ...schemas},
        responses: {...commonResponses, ...responses},
        parameters: {...paidParameters, ...parameters},
      },
    });
  },
} satisfies Page;

/** Describes every path of every product. */
function eachOf({base_url}: Site, products: readonly ProductRecord[]) {
  const paths = [
    ...products.flatMap(product => [paidPath(product), ...editionPaths(product)]),
    ...products.flatMap(product => freePaths(base_url, product)),
  ];
  const responses = products.some(({editions}) => editions.length > 0) ? {PaymentRequired: paymentRequired()} : {};
  return {paths, schemas: Object.fromEntries(products.flatMap(schemaComponents)), responses, parameters: {}};
}

/** Describes the free paths once for all products, and also the paid ones if there are very many. */
function together({base_url}: Site, products: readonly ProductRecord[]) {
  const areNamed = products.length <= MOST_NAMED;
  const paid = areNamed
    ? products.flatMap(product => [briefPaidPath(product, base_url), ...editionPaths(product, SHOWN_EDITIONS)])
    : [anyPaidPath(products)];
  const schema = areNamed ? {type: 'string', enum: products.map(({name}) => name)} : productName;
  return {
    paths: [...paid, ...freePaths(base_url)],
    schemas: {},
    responses: {PaymentRequired: paymentRequired()},
    parameters: {Name: {name: 'name', in: 'path', required: true, schema}},
  };
}

function infoOf(site: Site, products: readonly ProductRecord[]): Json {
  return {
    title: site.title,
    version: '1.0.0',
    summary: describe(site),
    description:
      'Frozen JSON documents. Free paths answer GET and HEAD, paid paths GET and OPTIONS, each spelled exactly as here. The shape of v1 never changes; a changed shape is v2 beside it. Only counts and class_mix may get further classes, which are integers from 0.',
    'x-guidance': guidance(products),
    contact: {name: site.title, ...(site.contact ?? {url: `${site.base_url}/`})},
    ...(site.license && {license: site.license}),
  };
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
