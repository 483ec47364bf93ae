import {editionTitle, editionPath, FORMATS, paths} from '../../../shared/paths.ts';
import {catalogueOf} from '../../documents/catalogue.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {editionContents, SHOWN_EDITIONS, sourcesInWords, termsOf} from '../html/words.ts';
import {listedIn, mediaType, type SiteFile} from '../page.ts';
import {header, paidParameters} from './components.ts';

/** A path with its only operation. */
type Path = readonly [path: string, item: {readonly get: Json}];

const schema = (name: string) => ({$ref: `#/components/schemas/${name}`});
const response = (name: string) => ({$ref: `#/components/responses/${name}`});
const byName = [{$ref: '#/components/parameters/Name'}];

/** The free paths of the site that do not belong to a product, for programs. */
export function siteFilePaths(site: Site, products: readonly ProductRecord[], siteFiles: readonly SiteFile[]): Path[] {
  // The example catalogue has only the first product. The complete one contains the digest of this file, which is not yet computed.
  const catalogue = {schema: schema('Catalogue'), example: catalogueOf(site, products.slice(0, 1), [])};
  return listedIn('openapi', siteFiles).map(({title: id, purpose: summary, ...file}) => {
    const media = file.path === paths.catalogue ? catalogue : {schema: {type: 'string'}};
    return [file.path, free(id, summary, {[mediaType(file)]: media})];
  });
}

/** The free paths of a product, described once for all products. */
export const freePaths: readonly Path[] = (
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

/** The paid path of a product, which links its schema. */
export function paidPath(product: ProductRecord, base_url: string): Path {
  const {name, title, difference, freezes} = product;
  const externalDocs = {description: 'Its JSON Schema', url: base_url + paths.paidSchema(name)};
  const description = `${title}: ${difference}. ${termsOf(product)}.${sourcesInWords(freezes)}`;
  const operation = {operationId: `buy_${name}`, tags: ['paid'], summary: `Buy ${title}`, description};
  return [paths.paid(name), {get: {...operation, ...paid(product, {schema: {type: 'object'}}), externalDocs}}];
}

/** The paid paths of the first parts and formats of a product. */
export function editionPaths(product: ProductRecord): Path[] {
  const {name, editions} = product;
  return editions.slice(0, SHOWN_EDITIONS).map(edition => {
    const path = editionPath(name, edition);
    const {type} = FORMATS[edition.format];
    const isJson = edition.format === 'json';
    const description = `${editionTitle(product.title, edition)}: ${editionContents(edition)}. ${termsOf(product)}.`;
    const operationId = `buy_${path.slice(path.lastIndexOf('/') + 1).replaceAll(/[^a-z0-9]/g, '_')}`;
    const operation = {
      operationId,
      tags: ['paid'],
      summary: `Buy ${editionTitle(product.title, edition)}`,
      description,
    };
    const media = isJson ? {schema: {type: 'object'}} : {};
    return [path, {get: {...operation, ...paid(product, media, mediaType({type}))}}];
  });
}

/** The common members of paid operations, with the price in the form that discovery tools read. */
function paid({price}: ProductRecord, media: Json, type = 'application/json'): Json {
  const headers = {'PAYMENT-RESPONSE': header('The receipt: an x402 settlement response, JSON in base64.')};
  return {
    security: [],
    'x-payment-info': {price: {mode: 'fixed', currency: 'USD', amount: price.text.slice(1)}, protocols: [{x402: {}}]},
    parameters: Object.keys(paidParameters).map(name => ({$ref: `#/components/parameters/${name}`})),
    responses: {
      200: {
        description: 'The document. It is paid for, by this payment or an earlier one.',
        headers,
        content: {[type]: media},
      },
      400: response('UnreadablePayment'),
      402: response('PaymentRequired'),
      404: response('NotFound'),
      409: response('InFlight'),
      503: response('Unavailable'),
      default: response('Problem'),
    },
  };
}
