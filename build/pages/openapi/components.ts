import type {Catalogue, Entry, ListedDocument, ListedFile} from '../../../shared/shapes.ts';
import type {ProductRecord} from '../../documents/record.ts';
import {headsOf} from '../../documents/schemas.ts';
import type {Json} from '../../kinds/kind.ts';

const text = {type: 'string'} as const;
const count = {type: 'integer', minimum: 0} as const;
const uri = {type: 'string', format: 'uri'} as const;
const sha256 = {type: 'string', pattern: '^[0-9a-f]{64}$'} as const;
const price = {type: 'string', pattern: '^\\$\\d+\\.\\d+$', examples: ['$0.02']} as const;

type Payee = Catalogue['payment']['accepts'][number];

/** The name of a product, as the catalogue has it. */
export const productName = {type: 'string', pattern: '^[a-z0-9]+$'} as const;

/** An address with size and digest of the bytes it gives. */
const address = {url: uri, sha256, bytes: count};
const entry = object<ListedDocument>(address);

/** Shapes that all products share. */
export const commonSchemas: Json = {
  Catalogue: object<Catalogue>({
    title: text,
    version: {const: 'v1'},
    base_url: uri,
    payment: object<Catalogue['payment']>({
      accepts: {type: 'array', items: object<Payee>({network: text, pay_to: text})},
    }),
    products: {
      type: 'array',
      items: object<Entry>({
        name: productName,
        title: text,
        kind: text,
        as_of: {type: 'string', format: 'date-time'},
        price,
        sample: entry,
        paid: object<Entry['paid']>({method: {const: 'GET'}, ...address}),
        schemas: object<Entry['schemas']>({sample: entry, paid: entry}),
        history: entry,
      }),
    },
    files: {type: 'array', items: object<ListedFile>({path: text, type: text, sha256, bytes: count})},
  }),
  PaymentRequired: {
    description: "The product's unsigned payment_required event. The terms are in the header PAYMENT-REQUIRED.",
    ...object({
      type: {const: 'payment_required'},
      payload: object({sku: text, http_status: {const: 402}, settle_success: {const: false}}),
      sig: {type: 'null'},
    }),
  },
  Problem: {
    description: 'Problem details (RFC 9457).',
    ...object({type: text, title: text, status: {type: 'integer'}, detail: text}),
  },
  JsonSchema: {description: 'A JSON Schema, draft 2020-12.', type: 'object'},
};

/** An object with the members of `T`. Members may be added to what buyers read, so none are forbidden. */
function object<T = Json>(properties: Readonly<Record<keyof T, unknown>>): Json {
  return {type: 'object', required: Object.keys(properties), properties};
}

/** The schemas of a product's documents, as components: an address of its own would move the base of a schema's references. */
export function schemaComponents({name, title, goods, schemas}: ProductRecord): [name: string, schema: Json][] {
  const heads = headsOf(title, goods.type);
  const component = (document: keyof typeof schemas): Json => {
    const members = Object.entries({...heads[document], ...schemas[document]});
    return Object.fromEntries(members.filter(([member]) => member !== '$schema' && member !== '$id'));
  };
  return [
    [name, component('paid')],
    [`${name}.sample`, component('sample')],
    [`${name}.history`, component('history')],
  ];
}

/** The parameter of paid paths. */
export const PaymentSignature: Json = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  required: false,
  description: 'A signed x402 (version 2) payment payload, JSON in base64. Without it the answer is 402.',
  schema: text,
};
