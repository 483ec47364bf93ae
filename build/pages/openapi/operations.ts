import {paths, type DocumentName} from '../../../shared/paths.ts';
import {historyOf} from '../../documents/documents.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {anyPaymentRequired, freeResponses, paidResponses, paymentRequired} from './answers.ts';

/** Longer examples are only linked, in bytes: everybody downloads them. */
const MOST_EXAMPLE_BYTES = 8_192;

const json = (media: Json) => ({'application/json': media});
const schemaNamed = (name: string) => ({$ref: `#/components/schemas/${name}`});

/** What the paid path of a product answers, with an example and the name of its schema. */
export function paidAnswers({name, example}: ProductRecord): Json {
  return paidResponses(json({schema: schemaNamed(name), example}), paymentRequired(name));
}

/** The same without an example, for a product among many: its schema is linked. */
export function briefPaidAnswers({name}: ProductRecord, base_url: string): Json {
  const url = base_url + paths.paidSchema(name);
  const schema = {type: 'object', externalDocs: {description: 'Its JSON Schema', url}};
  return paidResponses(json({schema}), anyPaymentRequired);
}

/** The paid path of a product, with its price as discovery tools read it. */
export function paidOperation({name, title, price, difference, published}: ProductRecord, responses: Json): Json {
  return {
    operationId: `buy_${name}`,
    tags: ['paid'],
    summary: `Buy ${title}`,
    description: `${title}: ${difference}. ${price.text} a request, as of ${published.as_of}.`,
    security: [],
    'x-payment-info': {
      price: {mode: 'fixed', currency: 'USD', amount: price.text.slice(1)},
      protocols: [{x402: {}}],
    },
    parameters: [{$ref: '#/components/parameters/PaymentSignature'}],
    responses,
  };
}

/** The free paths of a product, each with its own schema and example, by path. */
export function freeOperations(site: Site, product: ProductRecord): Json {
  const {name, title} = product;
  const free = (what: string, summary: string, content: Json) => ({
    get: {
      operationId: `${what}_${name}`,
      tags: ['free'],
      summary,
      security: [],
      responses: freeResponses(summary, content),
    },
  });
  const shown = (document: DocumentName, value: () => Json) => exampleOf(site, product, document, value);
  const aSchema = json({schema: schemaNamed('JsonSchema')});
  return {
    [paths.sample(name)]: free(
      'sample',
      `Sample of ${title}`,
      json({schema: schemaNamed(`${name}.sample`), ...shown('sample', () => JSON.parse(product.sample.text) as Json)}),
    ),
    [paths.history(name)]: free(
      'history',
      `Figures of ${title} at every freeze`,
      json({schema: schemaNamed(`${name}.history`), ...shown('history', () => historyOf(product))}),
    ),
    [paths.paidSchema(name)]: free('schema', `JSON Schema of ${title}`, aSchema),
    [paths.sampleSchema(name)]: free('sample_schema', `JSON Schema of the sample of ${title}`, aSchema),
  };
}

function exampleOf(
  {base_url}: Site,
  {name, documents}: ProductRecord,
  document: DocumentName,
  value: () => Json,
): Json {
  if (documents[document].bytes <= MOST_EXAMPLE_BYTES) return {example: value()};
  return {examples: {current: {summary: 'The document itself', externalValue: base_url + paths[document](name)}}};
}
