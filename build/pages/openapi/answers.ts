import type {Json} from '../../kinds/kind.ts';

const header = (description: string) => ({description, schema: {type: 'string'}});

const problem = (description: string, headers?: Json) => ({
  description,
  ...(headers && {headers}),
  content: {'application/problem+json': {schema: {$ref: '#/components/schemas/Problem'}}},
});

const retryAfter = {'Retry-After': {description: 'Seconds to wait.', schema: {type: 'integer'}}};

/** Answers that many operations share, as components. */
export const commonResponses: Json = {
  NotModified: {description: 'The document is the one that If-None-Match names.'},
  NotFound: problem('There is no such document (any more).'),
  InFlight: problem('This payment is being settled for another request: send it again for the outcome.', retryAfter),
  Unavailable: problem('Nothing can be delivered at the moment, and nothing was charged unless said.', retryAfter),
  Problem: problem('Any other failure, 405 for a method other than those listed among them.'),
};

const response = (name: string) => ({$ref: `#/components/responses/${name}`});

/** What a free path answers; its document is described by a media type object. */
export function freeResponses(description: string, content: Json): Json {
  return {
    200: {description, headers: {ETag: header('Changes with the bytes.')}, content},
    304: response('NotModified'),
    404: response('NotFound'),
    default: response('Problem'),
  };
}

/** What a paid path answers: its document, described by a media type object, and `required` without a payment. */
export function paidResponses(media: Json, required: Json = response('PaymentRequired')): Json {
  return {
    200: {
      description: 'The document. The payment is settled.',
      headers: {'PAYMENT-RESPONSE': header('The receipt: an x402 settlement response, JSON in base64.')},
      content: {'application/json': media},
    },
    402: required,
    404: response('NotFound'),
    409: response('InFlight'),
    503: response('Unavailable'),
    default: response('Problem'),
  };
}

/** The answer without a payment, with an example for a product that is named. */
export function paymentRequired(sku?: string): Json {
  const payload = {sku, http_status: 402, settle_success: false};
  return {
    description: 'Payment required: without a payment, or with one that is refused. Nothing is charged.',
    headers: {
      'PAYMENT-REQUIRED': header('The terms, and what was wrong: x402 PaymentRequired, JSON in base64.'),
      Link: header('The free sample (rel="preview") and the schema (rel="describedby"); not on every host.'),
    },
    content: {
      'application/json': {
        schema: {$ref: '#/components/schemas/PaymentRequired'},
        ...(sku !== undefined && {example: {type: 'payment_required', payload, sig: null}}),
      },
    },
  };
}
