import {historyOf, type Document, type ProductDocuments} from '../../documents/documents.ts';
import {emptyPaidOf} from '../../documents/paid.ts';
import {sampleOf} from '../../documents/sample.ts';
import {paths} from '../../../shared/paths.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {anyPaymentRequired, freeResponses, paidResponses, paymentRequired} from './answers.ts';

/** Longer examples are only linked, in bytes: everybody downloads them. */
const MOST_EXAMPLE_BYTES = 8_192;

const json = (media: Json) => ({'application/json': media});
const schemaNamed = (name: string) => ({$ref: `#/components/schemas/${name}`});

/** What the paid path of a product answers, with an example and the name of its schema. */
export function paidAnswers({computed}: ProductDocuments): Json {
  const {name} = computed.product;
  return paidResponses(json({schema: schemaNamed(name), example: emptyPaidOf(computed)}), paymentRequired(name));
}

/** The same without an example, for a product among many: its schema is linked. */
export function briefPaidAnswers({computed}: ProductDocuments, base_url: string): Json {
  const url = base_url + paths.paidSchema(computed.product.name);
  const schema = {type: 'object', externalDocs: {description: 'Its JSON Schema', url}};
  return paidResponses(json({schema}), anyPaymentRequired);
}

/** The paid path of a product, with its price as discovery tools read it. */
export function paidOperation({computed}: ProductDocuments, responses: Json): Json {
  const {name, title, price, difference} = computed.product;
  return {
    operationId: `buy_${name}`,
    tags: ['paid'],
    summary: `Buy ${title}`,
    description: `${title}: ${difference}. ${price} a request, as of ${computed.snapshot.as_of}.`,
    security: [],
    'x-payment-info': {
      price: {mode: 'fixed', currency: 'USD', amount: price.slice(1)},
      protocols: [{x402: {}}],
    },
    parameters: [{$ref: '#/components/parameters/PaymentSignature'}],
    responses,
  };
}

/** The free paths of a product, each with its own schema and example, by path. */
export function freeOperations(site: Site, documents: ProductDocuments): Json {
  const {sample, others, computed} = documents;
  const {name, title} = computed.product;
  const history = others.find(({path}) => path === paths.history(name)) ?? sample;
  const free = (what: string, summary: string, content: Json) => ({
    get: {
      operationId: `${what}_${name}`,
      tags: ['free'],
      summary,
      security: [],
      responses: freeResponses(summary, content),
    },
  });
  const shown = (document: Document, value: Json) => exampleOf(site, document, value);
  const aSchema = json({schema: schemaNamed('JsonSchema')});
  return {
    [sample.path]: free(
      'sample',
      `Sample of ${title}`,
      json({schema: schemaNamed(`${name}.sample`), ...shown(sample, sampleOf(site, computed))}),
    ),
    [history.path]: free(
      'history',
      `Figures of ${title} at every freeze`,
      json({schema: schemaNamed(`${name}.history`), ...shown(history, historyOf(computed))}),
    ),
    [paths.paidSchema(name)]: free('schema', `JSON Schema of ${title}`, aSchema),
    [paths.sampleSchema(name)]: free('sample_schema', `JSON Schema of the sample of ${title}`, aSchema),
  };
}

function exampleOf({base_url}: Site, {path, bytes}: Document, value: Json): Json {
  if (bytes <= MOST_EXAMPLE_BYTES) return {example: value};
  return {examples: {current: {summary: 'The document itself', externalValue: base_url + path}}};
}
