import type {ProductDocuments} from '../documents/documents.ts';
import {InParts, Part} from '../compose/in-parts.ts';
import {JSON_TYPE} from '../../shared/paths.ts';
import {schemasOf} from '../documents/schemas.ts';
import type {Json} from '../kinds/kind.ts';
import {commonParameters, commonResponses, paymentRequiredComponent} from './openapi/answers.ts';
import {infoOf} from './openapi/info.ts';
import {briefPaidAnswers, freeOperations, paidAnswers, paidOperation} from './openapi/operations.ts';
import {commonSchemas, componentOf} from './openapi/schemas.ts';
import {sharedOperations, siteOperations} from './openapi/site-operations.ts';
import type {Site} from '../read/site.ts';
import type {Page} from './page.ts';

/** Discovery tools warn above as many operations. */
const MOST_OPERATIONS = 40;
/** The paid document, the sample, the history and two schemas. */
const OPERATIONS_EACH = 5;

/**
 * OpenAPI 3.1 of every path. A few products have each of their paths described with its own schema; with more, the free
 * ones are described once for all products, and the paid ones, which carry the prices, name their published schema. They
 * do not refer to it with `$ref`: discovery tools follow none out of the file.
 */
export default {
  path: '/openapi.json',
  type: JSON_TYPE,

  compose(site, products) {
    const ofSite = siteOperations(site, products);
    const operations = Object.keys(ofSite).length + OPERATIONS_EACH * products.length;
    const described = (operations <= MOST_OPERATIONS ? describeEach : describeTogether)(site, products);
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
        responses: {...commonResponses, ...described.responses},
        parameters: commonParameters,
      },
    };
    return new InParts(document);
  },
} satisfies Page;

interface Described {
  readonly paths: Json;
  readonly schemas: Json;
  readonly responses: Json;
}

function describeEach(site: Site, products: readonly ProductDocuments[]): Described {
  const paid = products.map(documents => [
    documents.paid.path,
    {get: paidOperation(documents, paidAnswers(documents))},
  ]);
  const free = products.flatMap(documents => Object.entries(freeOperations(site, documents)));
  return {paths: Object.fromEntries([...paid, ...free]) as Json, schemas: componentsOf(products), responses: {}};
}

function describeTogether({base_url}: Site, products: readonly ProductDocuments[]): Described {
  const paid = products.map(documents => [
    documents.paid.path,
    new Part(documents.computed.product.name, () => ({
      get: paidOperation(documents, briefPaidAnswers(documents, base_url)),
    })),
  ]);
  return {
    paths: {...(Object.fromEntries(paid) as Json), ...sharedOperations(products)},
    schemas: {},
    responses: paymentRequiredComponent,
  };
}

function componentsOf(products: readonly ProductDocuments[]): Json {
  const components = products.flatMap(({computed}) => {
    const {name} = computed.product;
    const {sample, paid, history} = schemasOf(computed);
    return [
      [name, componentOf(paid)],
      [`${name}.sample`, componentOf(sample)],
      [`${name}.history`, componentOf(history)],
    ];
  });
  return Object.fromEntries(components) as Json;
}
