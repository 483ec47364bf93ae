import type {Json} from '../../kinds/kind.ts';

const header = (description: string) => ({description, schema: {type: 'string'}});

const problem = (description: string, headers?: Json) => ({
  description,
  ...(headers && {headers}),
  content: {'application/problem+json': {schema: {$ref: '#/components/schemas/Problem'}}},
});

const retryAfter = {'Retry-After': {description: 'Seconds to wait.', schema: {type: 'integer'}}};

function required(more: Json): Json {
  return {
    description: 'Payment required: without a payment, or with one that is refused. Nothing is charged.',
    headers: {
      'PAYMENT-REQUIRED': header('The terms, and what was wrong: x402 PaymentRequired, JSON in base64.'),
      Link: header('The free sample (rel="preview") and the schema (rel="describedby"); not on every host.'),
    },
    content: {'application/json': {schema: {$ref: '#/components/schemas/PaymentRequired'}, ...more}},
  };
}

/** Answers that many operations share, as components. */
export const commonResponses: Json = {
  NotModified: {description: 'The document is the one that If-None-Match names.'},
  NotFound: problem('There is no such document (any more).'),
  InFlight: problem('This payment is being settled for another request: send it again for the outcome.', retryAfter),
  Unavailable: problem('Nothing can be delivered at the moment, and nothing was charged unless said.', retryAfter),
  Problem: problem('Any other failure, 405 for a method other than those listed among them.'),
};

/** The one parameter of paid paths. */
export const commonParameters: Json = {
  PaymentSignature: {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    required: false,
    description: 'A signed x402 (version 2) payment payload, JSON in base64. Without it the answer is 402.',
    schema: {type: 'string'},
  },
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

/** What a paid path answers: its document, described by a media type object, or `required`. */
export function paidResponses(content: Json, required: Json): Json {
  return {
    200: {
      description: 'The document. The payment is settled.',
      headers: {'PAYMENT-RESPONSE': header('The receipt: an x402 settlement response, JSON in base64.')},
      content,
    },
    402: required,
    404: response('NotFound'),
    409: response('InFlight'),
    503: response('Unavailable'),
    default: response('Problem'),
  };
}

/** What a paid path answers without a payment, with an example for one product. */
export function paymentRequired(name: string): Json {
  const event = {type: 'payment_required', payload: {sku: name, http_status: 402, settle_success: false}, sig: null};
  return required({example: event});
}

/** The same for any product, and the component that it stands for. */
export const anyPaymentRequired: Json = response('PaymentRequired');
export const paymentRequiredComponent: Json = {PaymentRequired: required({})};
