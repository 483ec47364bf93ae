import {JSON_TYPE, OPENAPI, paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import {encode} from '../../shared/encode.ts';
import type {Json} from '../kinds/kind.ts';
import type {Site} from '../read/site.ts';
import {describe} from './html/words.ts';
import {commonParameters, commonResponses, commonSchemas} from './openapi/components.ts';
import {editionPaths, freePaths, paidPath, siteFilePaths} from './openapi/operations.ts';
import type {Page} from './page.ts';

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
    const paid = products
      .slice(0, MOST_NAMED)
      .flatMap(product => [paidPath(product, site.base_url), ...editionPaths(product)]);
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
