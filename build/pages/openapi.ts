import {encode, type ProductDocuments} from '../compose/documents.ts';
import {paths} from '../compose/paths.ts';
import type {Json} from '../compute/kind.ts';
import {commonParameters, commonResponses} from './openapi/answers.ts';
import {infoOf} from './openapi/info.ts';
import {freeOperations, paidOperation} from './openapi/operations.ts';
import {commonSchemas, componentOf} from './openapi/schemas.ts';
import {sharedOperations, siteOperations} from './openapi/site-operations.ts';
import type {Site} from '../read/site.ts';
import type {Page} from './page.ts';

/** Discovery tools warn above as many operations. */
const MOST_OPERATIONS = 40;

/**
 * OpenAPI 3.1 of every path. A few products have each of their paths described with its own schema; with more, the free
 * ones are described once for all products, and the paid ones, which carry the prices, name their published schema. They
 * do not refer to it with `$ref`: discovery tools follow none out of the file.
 */
export default {
  path: '/openapi.json',
  type: 'application/json; charset=utf-8',

  compose(site, products) {
    const ofSite = siteOperations(site, products);
    const each = describeEach(site, products);
    const operations = Object.keys(ofSite).length + Object.keys(each.paths).length;
    const described = operations <= MOST_OPERATIONS ? each : describeTogether(site, products);
    const document = {
      openapi: '3.1.0',
      info: infoOf(site, products),
      servers: [{url: site.base_url}],
      tags: [
        {name: 'free', description: 'Read before buying.'},
        {name: 'paid', description: 'Answered with 402 until paid.'},
      ],
      paths: {...ofSite, ...described.paths},
      components: {
        schemas: {...commonSchemas, ...described.schemas},
        responses: commonResponses,
        parameters: commonParameters,
      },
    };
    return encode(document).toString();
  },
} satisfies Page;

interface Described {
  readonly paths: Json;
  readonly schemas: Json;
}

function describeEach({base_url}: Site, products: readonly ProductDocuments[]): Described {
  const paid = paidPaths(products, ({computed}) => ({$ref: `#/components/schemas/${computed.product.name}`}));
  const free = products.flatMap(documents => Object.entries(freeOperations(documents, base_url)));
  return {paths: {...paid, ...Object.fromEntries(free)}, schemas: schemasOf(products)};
}

function describeTogether({base_url}: Site, products: readonly ProductDocuments[]): Described {
  const paid = paidPaths(products, ({computed}) => {
    const url = base_url + paths.paidSchema(computed.product.name);
    return {type: 'object', externalDocs: {description: 'Its JSON Schema', url}};
  });
  return {paths: {...paid, ...sharedOperations(products)}, schemas: {}};
}

function paidPaths(products: readonly ProductDocuments[], schemaOf: (documents: ProductDocuments) => Json): Json {
  return Object.fromEntries(
    products.map(documents => [documents.paid.path, {get: paidOperation(documents, schemaOf(documents))}]),
  );
}

function schemasOf(products: readonly ProductDocuments[]): Json {
  const components = products.flatMap(({computed: {product}, sample, paid, others}) => [
    [product.name, componentOf(paid)],
    [`${product.name}.sample`, componentOf(sample)],
    ...others
      .filter(({path}) => path === paths.history(product.name))
      .map(one => [`${product.name}.history`, componentOf(one)]),
  ]);
  return Object.fromEntries(components) as Json;
}
