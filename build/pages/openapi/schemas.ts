import type {Catalogue, Entry, ListedDocument, ListedFile} from '../../../shared/shapes.ts';
import type {Json} from '../../kinds/kind.ts';
import type {JsonSchema} from '../../read/validator.ts';

const text = {type: 'string'} as const;
const count = {type: 'integer', minimum: 0} as const;
const sha256 = {type: 'string', pattern: '^[0-9a-f]{64}$'} as const;
const price = {type: 'string', pattern: '^\\$\\d+\\.\\d+$', examples: ['$0.02']} as const;

type Payee = Catalogue['payment']['accepts'][number];

/** An address with size and digest of the bytes it gives. */
const address = {url: {type: 'string', format: 'uri'}, sha256, bytes: count};
const entry = object<ListedDocument>(address);

/** Shapes that all products share. */
export const commonSchemas: Json = {
  Catalogue: object<Catalogue>({
    title: text,
    version: {const: 'v1'},
    base_url: {type: 'string', format: 'uri'},
    payment: object<Catalogue['payment']>({
      accepts: {type: 'array', items: object<Payee>({network: text, pay_to: text})},
    }),
    products: {
      type: 'array',
      items: object<Entry>({
        name: {type: 'string', pattern: '^[a-z0-9]+$'},
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

/** A schema as a component, where an address of its own would move the base of its references. */
export function componentOf(schema: JsonSchema): Json {
  return Object.fromEntries(Object.entries(schema).filter(([member]) => member !== '$schema' && member !== '$id'));
}

/** An object with the members of `T`. Members may be added to what buyers read, so none are forbidden. */
function object<T = Json>(properties: Readonly<Record<keyof T, unknown>>): Json {
  return {type: 'object', required: Object.keys(properties), properties};
}
