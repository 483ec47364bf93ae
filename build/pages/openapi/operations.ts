import {paths, type DocumentName} from '../../../shared/paths.ts';
import {catalogueOf} from '../../documents/catalogue.ts';
import {historyOf} from '../../documents/documents.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {mediaType, type Paper} from '../page.ts';
import {freeResponses, paidResponses, paymentRequired} from './answers.ts';

/** A path with its one operation. */
type Path = readonly [path: string, item: {readonly get: Json}];

/** Longer examples are only linked, in bytes: everybody downloads them. */
const MOST_EXAMPLE_BYTES = 8_192;

const schema = (name: string) => ({$ref: `#/components/schemas/${name}`});
const byName = {parameters: [{$ref: '#/components/parameters/Name'}]};

/** The free paths that belong to no product and that programs read. */
export function paperPaths(site: Site, products: readonly ProductRecord[], papers: readonly Paper[]): Path[] {
  // The catalogue of the first product alone: the whole one names this very file, whose digest is not known yet.
  const catalogue = {schema: schema('Catalogue'), example: catalogueOf(site, products.slice(0, 1), [])};
  return papers.flatMap(paper => {
    const [id, summary] = paper.listed?.openapi ?? [];
    if (id === undefined || summary === undefined) return [];
    const media = paper.path === paths.catalogue ? catalogue : {schema: {type: 'string'}};
    return [[paper.path, free(id, summary, {[mediaType(paper)]: media})]];
  });
}

/** The paid path of a product with an example and the name of its schema. */
export function paidPath(product: ProductRecord): Path {
  const {name, example} = product;
  return pathToBuy(product, paidResponses({schema: schema(name), example}, paymentRequired(name)));
}

/** The same without an example, for a product among many: its schema is linked. */
export function briefPaidPath(product: ProductRecord, base_url: string): Path {
  const externalDocs = {description: 'Its JSON Schema', url: base_url + paths.paidSchema(product.name)};
  return pathToBuy(product, paidResponses({schema: {type: 'object', externalDocs}}));
}

function pathToBuy(product: ProductRecord, responses: Json): Path {
  const {name, title, price, difference, published} = product;
  const description = `${title}: ${difference}. ${price.text} a request, as of ${published.as_of}.`;
  return [paths.paid(name), paid(`buy_${name}`, `Buy ${title}`, description, [product], responses)];
}

/** The paid paths of all products, as one. */
export function anyPaidPath(products: readonly ProductRecord[]): Path {
  const media = {schema: {type: 'object', description: `Its JSON Schema is at ${paths.paidSchema('{name}')}.`}};
  const description = 'The catalogue has name, title and price of each.';
  return [paths.paid('{name}'), paid('buy', 'Buy a product', description, products, paidResponses(media), byName)];
}

/** The free paths of a product, each with its own schema and example. */
export function freePaths({base_url}: Site, product: ProductRecord): Path[] {
  const {name, title, documents, sample} = product;
  const media = (document: 'sample' | 'history', example: () => unknown): Json => {
    const link = {summary: 'The document itself', externalValue: base_url + paths[document](name)};
    const isShort = documents[document].bytes <= MOST_EXAMPLE_BYTES;
    return {schema: schema(`${name}.${document}`), ...(isShort ? {example: example()} : {examples: {current: link}})};
  };
  const shown = [media('sample', () => JSON.parse(sample.text)), media('history', () => historyOf(product))] as const;
  return pathsToRead(name, title, ...shown, `_${name}`);
}

/** The free paths of all products, as one each. */
export function anyFreePaths(): Path[] {
  const media = {schema: {type: 'object'}};
  return pathsToRead('{name}', 'a product', media, media, '', byName);
}

function pathsToRead(name: string, title: string, sample: Json, history: Json, suffix: string, more?: Json): Path[] {
  const path = (document: DocumentName, id: string, summary: string, media: Json): Path => [
    paths[document](name),
    free(id + suffix, summary, {'application/json': media}, more),
  ];
  const aSchema = {schema: schema('JsonSchema')};
  return [
    path('sample', 'sample', `Sample of ${title}`, sample),
    path('history', 'history', `Figures of ${title} at every freeze`, history),
    path('paidSchema', 'schema', `JSON Schema of ${title}`, aSchema),
    path('sampleSchema', 'sample_schema', `JSON Schema of the sample of ${title}`, aSchema),
  ];
}

function free(operationId: string, summary: string, content: Json, more?: Json) {
  const responses = freeResponses(summary, content);
  return {get: {operationId, tags: ['free'], summary, security: [], responses, ...more}};
}

/** An operation with the prices of what it sells where discovery tools read them. */
function paid(
  operationId: string,
  summary: string,
  description: string,
  products: readonly ProductRecord[],
  responses: Json,
  {parameters}: {readonly parameters: readonly Json[]} = {parameters: []},
) {
  const prices = products.map(({price}) => price).sort((a, b) => a.micros - b.micros);
  const [min, max] = [prices[0], prices.at(-1)].map(price => price?.text.slice(1));
  const price =
    min === max ? {mode: 'fixed', currency: 'USD', amount: min} : {mode: 'dynamic', currency: 'USD', min, max};
  return {
    get: {
      ...{operationId, tags: ['paid'], summary, description, security: []},
      'x-payment-info': {price, protocols: [{x402: {}}]},
      parameters: [...parameters, {$ref: '#/components/parameters/PaymentSignature'}],
      responses,
    },
  };
}
