import {editionTitle, editionPath, FORMATS, paths, type DocumentName} from '../../../shared/paths.ts';
import {catalogueOf} from '../../documents/catalogue.ts';
import {historyDocument} from '../../documents/documents.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {editionContents, sourcesInWords, termsOf} from '../html/words.ts';
import {listedIn, mediaType, type Paper} from '../page.ts';
import {header, paidParameters, paymentRequired} from './components.ts';

/** A path with its only operation. */
type Path = readonly [path: string, item: {readonly get: Json}];

/** Longer examples are only linked, in bytes, because every reader downloads the file. */
const MOST_EXAMPLE_BYTES = 8_192;

const schema = (name: string) => ({$ref: `#/components/schemas/${name}`});
const response = (name: string) => ({$ref: `#/components/responses/${name}`});
const byName = [{$ref: '#/components/parameters/Name'}];

/** The free paths of the site that do not belong to a product, for programs. */
export function paperPaths(site: Site, products: readonly ProductRecord[], papers: readonly Paper[]): Path[] {
  // The example catalogue has only the first product. The complete one contains the digest of this file, which is not yet computed.
  const catalogue = {schema: schema('Catalogue'), example: catalogueOf(site, products.slice(0, 1), [])};
  return listedIn('openapi', papers).map(({title: id, purpose: summary, ...paper}) => {
    const media = paper.path === paths.catalogue ? catalogue : {schema: {type: 'string'}};
    return [paper.path, free(id, summary, {[mediaType(paper)]: media})];
  });
}

/** The free paths of a product, each with its own schema and example. Without a product, one path for all products. */
export function freePaths(base_url: string, product?: ProductRecord): Path[] {
  const {name, title} = product ?? {name: '{name}', title: 'a product'};
  const path = (document: DocumentName, id: string, summary: string, media: Json): Path => [
    paths[document](name),
    free(product ? `${id}_${name}` : id, summary, {'application/json': media}, product ? undefined : byName),
  ];
  const media = (document: 'sample' | 'history') =>
    product ? mediaOf(product, document, base_url) : {schema: {type: 'object'}};
  const aSchema = {schema: schema('JsonSchema')};
  return [
    path('sample', 'sample', `Sample of ${title}`, media('sample')),
    path('history', 'history', `Figures of ${title} at every freeze`, media('history')),
    path('paidSchema', 'schema', `JSON Schema of ${title}`, aSchema),
    path('sampleSchema', 'sample_schema', `JSON Schema of the sample of ${title}`, aSchema),
  ];
}

/** The schema of a document. The example is the document itself if it is a short history, or else its URL. */
function mediaOf(product: ProductRecord, document: 'sample' | 'history', base_url: string): Json {
  const {name, documents} = product;
  const link = {summary: 'The document itself', externalValue: base_url + paths[document](name)};
  const isShort = document === 'history' && documents.history.bytes <= MOST_EXAMPLE_BYTES;
  const example = isShort ? {example: historyDocument(product)} : {examples: {current: link}};
  return {schema: schema(`${name}.${document}`), ...example};
}

function free(operationId: string, summary: string, content: Json, parameters?: readonly Json[]) {
  const responses = {
    200: {description: summary, headers: {ETag: header('Changes with the bytes.')}, content},
    304: response('NotModified'),
    404: response('NotFound'),
    default: response('Problem'),
  };
  const description = `${summary}. Free: ask again with If-None-Match, and get only what has changed.`;
  return {get: {operationId, tags: ['free'], summary, description, security: [], responses, parameters}};
}

/** The paid path of a product, with an example and its schema. */
export function paidPath(product: ProductRecord): Path {
  const {name, example} = product;
  return pathToBuy(product, {schema: schema(name), example}, paymentRequired(name));
}

/** The paid path of a product without an example. The schema is linked. */
export function briefPaidPath(product: ProductRecord, base_url: string): Path {
  const externalDocs = {description: 'Its JSON Schema', url: base_url + paths.paidSchema(product.name)};
  const [path, {get}] = pathToBuy(product, {schema: {type: 'object'}});
  return [path, {get: {...get, externalDocs}}];
}

function pathToBuy(product: ProductRecord, media: Json, required?: Json): Path {
  const {name, title, difference, freezes} = product;
  const description = `${title}: ${difference}. ${termsOf(product)}.${sourcesInWords(freezes)}`;
  const says = {operationId: `buy_${name}`, tags: ['paid'], summary: `Buy ${title}`, description};
  return [paths.paid(name), {get: {...says, ...paid([product], media, required)}}];
}

/**
 * The paid paths of the first parts and formats of a product.
 * @param most how many; all by default
 */
export function editionPaths(product: ProductRecord, most?: number): Path[] {
  const {name, editions} = product;
  return editions.slice(0, most).map(edition => {
    const path = editionPath(name, edition);
    const {type} = FORMATS[edition.format];
    const isJson = edition.format === 'json';
    const description = `${editionTitle(product.title, edition)}: ${editionContents(edition)}. ${termsOf(product)}.`;
    const operationId = `buy_${path.slice(path.lastIndexOf('/') + 1).replaceAll(/[^a-z0-9]/g, '_')}`;
    const says = {operationId, tags: ['paid'], summary: `Buy ${editionTitle(product.title, edition)}`, description};
    const media = isJson ? {schema: {type: 'object'}} : {};
    return [path, {get: {...says, ...paid([product], media, undefined, [], mediaType({type}))}}];
  });
}

/** One path for the paid documents of all products. */
export function anyPaidPath(products: readonly ProductRecord[]): Path {
  const media = {schema: {type: 'object', description: `Its JSON Schema is at ${paths.paidSchema('{name}')}.`}};
  const description = 'The catalogue has name, title and price of each.';
  const says = {operationId: 'buy', tags: ['paid'], summary: 'Buy a product', description};
  return [paths.paid('{name}'), {get: {...says, ...paid(products, media, undefined, byName)}}];
}

/** The common members of paid operations, with prices in the form that discovery tools read. */
function paid(
  products: readonly ProductRecord[],
  media: Json,
  required: Json = response('PaymentRequired'),
  parameters: readonly Json[] = [],
  type = 'application/json',
): Json {
  const prices = products.map(({price}) => price).sort((a, b) => a.micros - b.micros);
  const [min, max] = [prices[0], prices.at(-1)].map(price => price?.text.slice(1));
  const range =
    min === max ? {mode: 'fixed', currency: 'USD', amount: min} : {mode: 'dynamic', currency: 'USD', min, max};
  const headers = {'PAYMENT-RESPONSE': header('The receipt: an x402 settlement response, JSON in base64.')};
  return {
    security: [],
    'x-payment-info': {price: range, protocols: [{x402: {}}]},
    parameters: [
      ...parameters,
      ...Object.keys(paidParameters).map(name => ({$ref: `#/components/parameters/${name}`})),
    ],
    responses: {
      200: {
        description: 'The document. It is paid for, by this payment or an earlier one.',
        headers,
        content: {[type]: media},
      },
      400: response('UnreadablePayment'),
      402: required,
      404: response('NotFound'),
      409: response('InFlight'),
      503: response('Unavailable'),
      default: response('Problem'),
    },
  };
}
