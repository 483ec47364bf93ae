import type {ProductRecord} from '../documents/record.ts';
import {JSON_TYPE, paths} from '../../shared/paths.ts';
import {headsOf} from '../documents/schemas.ts';
import {encode} from '../documents/text.ts';
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
    return encode(document);
  },
} satisfies Page;

interface Described {
  readonly paths: Json;
  readonly schemas: Json;
  readonly responses: Json;
}

function describeEach(site: Site, products: readonly ProductRecord[]): Described {
  const paid = products.map(product => [paths.paid(product.name), {get: paidOperation(product, paidAnswers(product))}]);
  const free = products.flatMap(product => Object.entries(freeOperations(site, product)));
  return {paths: Object.fromEntries([...paid, ...free]) as Json, schemas: componentsOf(products), responses: {}};
}

function describeTogether({base_url}: Site, products: readonly ProductRecord[]): Described {
  const paid = products.map(product => [
    paths.paid(product.name),
    {get: paidOperation(product, briefPaidAnswers(product, base_url))},
  ]);
  return {
    paths: {...(Object.fromEntries(paid) as Json), ...sharedOperations(products)},
    schemas: {},
    responses: paymentRequiredComponent,
  };
}

function componentsOf(products: readonly ProductRecord[]): Json {
  const components = products.flatMap(({name, title, goods, schemas}) => {
    const heads = headsOf(title, goods.type);
    return [
      [name, componentOf({...heads.paid, ...schemas.paid})],
      [`${name}.sample`, componentOf({...heads.sample, ...schemas.sample})],
      [`${name}.history`, componentOf({...heads.history, ...schemas.history})],
    ];
  });
  return Object.fromEntries(components) as Json;
}
