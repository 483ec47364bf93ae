import type {ProductRecord} from '../../documents/record.ts';
import {catalogueOf} from '../../site/catalogue.ts';
import {paths} from '../../../shared/paths.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {freeResponses} from './answers.ts';

/** The free paths that belong to no product and that programs read, by path. */
export function siteOperations(site: Site, products: readonly ProductRecord[]): Json {
  const text = (type: string) => ({[type]: {schema: {type: 'string'}}});
  return {
    [paths.catalogue]: free('catalogue', 'Every product with size and digest of each document', {
      'application/json': {schema: {$ref: '#/components/schemas/Catalogue'}, example: exampleOf(site, products)},
    }),
    '/feed.xml': free('feed', 'Atom feed with an entry for each product and as_of', text('application/atom+xml')),
    '/llms.txt': free('llms', 'The site in Markdown', text('text/plain')),
  };
}

/** Free documents that all products have, described once for all of them, by path. */
export function sharedOperations(products: readonly ProductRecord[]): Json {
  const names = products.map(({name}) => name);
  const named = (what: string, path: (name: string) => string, summary: string, schema: Json = {type: 'object'}) => {
    const {get} = free(what, summary, {'application/json': {schema}});
    const name = {name: 'name', in: 'path', required: true, schema: {type: 'string', enum: names}};
    return {[path('{name}')]: {get: {...get, parameters: [name]}}};
  };
  const aSchema = {$ref: '#/components/schemas/JsonSchema'};
  return {
    ...named('sample', paths.sample, 'Sample of a product'),
    ...named('history', paths.history, 'Figures of a product at every freeze'),
    ...named('schema', paths.paidSchema, 'JSON Schema of a paid document', aSchema),
    ...named('sample_schema', paths.sampleSchema, 'JSON Schema of a sample', aSchema),
  };
}

function free(operationId: string, summary: string, content: Json) {
  return {get: {operationId, tags: ['free'], summary, security: [], responses: freeResponses(summary, content)}};
}

/** The catalogue of the first product alone: the whole one names this very file, whose digest is not known yet. */
function exampleOf(site: Site, products: readonly ProductRecord[]): object {
  return catalogueOf(site, products.slice(0, 1), []);
}
