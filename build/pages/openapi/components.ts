import {digest as sha256} from '../../../shared/digest.ts';
import {FORMATS} from '../../../shared/paths.ts';
import type {Catalogue, Entry, ListedColumn, ListedSource, ListedEdition} from '../../../shared/shapes.ts';
import type {PartFacts} from '../../documents/record.ts';
import {timestamp} from '../../documents/schemas.ts';
import {count} from '../../kinds/figures/counts.ts';
import type {Json} from '../../kinds/kind.ts';
import {webAddress} from '../../kinds/rows/named-rows.ts';

const text = {type: 'string'} as const;
const price = {type: 'string', pattern: '^\\$\\d+\\.\\d+$', examples: ['$0.02']} as const;

const productName = {type: 'string', pattern: '^[a-z0-9]+$'} as const;

/** A URL with size and digest of its content. */
const address = {url: webAddress, sha256, bytes: count};
const entry = openObject(address);
const edition = openObject<ListedEdition>({
  method: {const: 'GET'},
  url: webAddress,
  format: {enum: Object.keys(FORMATS)},
  type: text,
  'part?': openObject<PartFacts>({name: text, number: count, of: count, holds: text}),
  rows: count,
  sha256,
  bytes: count,
});

const column = openObject<ListedColumn>({
  name: text,
  type: {enum: ['boolean', 'integer', 'number', 'string'], description: 'Its type in Parquet files.'},
  'title?': text,
  'description?': text,
  'unit?': text,
});

const source = openObject<ListedSource>({
  name: text,
  'title?': text,
  'description?': text,
  'licenses?': {type: 'array', items: openObject({'name?': text, 'title?': text, 'path?': text})},
  'sources?': {type: 'array', items: openObject({'title?': text, 'path?': text})},
});

/** Members that only some sites have are not described, so that the files of other sites do not change. */
type DescribedMembers = Omit<Catalogue, 'signing' | 'sources'>;

export const commonSchemas: Json = {
  Catalogue: openObject<DescribedMembers>({
    title: text,
    version: {const: 'v1'},
    base_url: webAddress,
    payment: openObject({accepts: {type: 'array', items: openObject({network: text, pay_to: text})}}),
    redownload_days: count,
    products: {
      type: 'array',
      items: openObject<Entry & {readonly usd: number}>({
        name: productName,
        title: text,
        kind: text,
        as_of: timestamp,
        'next_expected?': {...timestamp, description: 'When a newer snapshot is due.'},
        price,
        usd: {type: 'number', exclusiveMinimum: 0, description: 'The price in dollars.'},
        'pass?': {
          ...openObject({next: {type: 'integer', minimum: 1}}),
          description: 'The number of later snapshots that a payment includes.',
        },
        sample: entry,
        paid: openObject({
          method: {const: 'GET'},
          ...address,
          'rows?': {...count, description: 'The number of its rows.'},
        }),
        schemas: openObject({sample: entry, paid: entry}),
        history: entry,
        'editions?': {
          type: 'array',
          items: edition,
          description: 'The rows of the document in parts, or in other formats.',
        },
        'columns?': {type: 'array', items: column, description: 'The columns of CSV and Parquet files.'},
        'sources?': {type: 'array', items: source, description: 'Title, licences and origin of its sources.'},
      }),
    },
    files: {type: 'array', items: openObject({path: text, type: text, sha256, bytes: count})},
  }),
  PaymentRequired: {
    description:
      "The product's unsigned payment_required event. The gate adds the terms in words, and all members of the x402 PaymentRequired in the header. AWS adds neither.",
    ...openObject({
      type: {const: 'payment_required'},
      payload: openObject({sku: text, http_status: {const: 402}, settle_success: {const: false}}),
      sig: {type: 'null'},
      'title?': text,
      'status?': {enum: [400, 402]},
      'detail?': text,
      'price?': price,
      'currency?': {const: 'USD'},
      'networks?': {type: 'array', items: openObject({network: text, currency: text, asset: text, payee: text})},
      'document?': openObject({
        ...{title: text, description: text, ...address, as_of: text},
        ...{'next_expected?': text, 'later_snapshots?': count},
      }),
      'sample?': openObject({url: webAddress, 'reason?': text, figures: {type: 'object'}}),
      'how_to_pay?': openObject({instruction: text, code: text}),
      'links?': openObject({openapi: webAddress, product: webAddress, schema: webAddress}),
      'x402Version?': {const: 2},
      'error?': {...text, description: 'What was wrong with the payment, if there was one.'},
      'resource?': {type: 'object'},
      'accepts?': {type: 'array', items: {type: 'object'}},
      'extensions?': {type: 'object'},
    }),
  },
  Problem: {
    description: 'Problem details (RFC 9457).',
    ...openObject({type: text, title: text, status: {type: 'integer'}, detail: text}),
  },
  JsonSchema: {description: 'A JSON Schema, draft 2020-12.', type: 'object'},
};

/** The members of `T`, with `?` at the end of the names of optional ones. */
type MembersOf<T> = {
  readonly [K in keyof T & string as undefined extends T[K] ? `${K}?` : K]: unknown;
};

/** An object with these members. Those whose name ends with `?` are optional. Further members are allowed, because `v1` may add them. */
function openObject<T = never>(members: [T] extends [never] ? Json : MembersOf<T>): Json {
  const entries = Object.entries<unknown>(members);
  const required = entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name]));
  const properties = Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema]));
  return {type: 'object', required, properties};
}

/** Returns the description of a response header. */
export const header = (description: string) => ({description, schema: text});

const problem = (description: string, headers?: Json) => ({
  description,
  headers,
  content: {'application/problem+json': {schema: {$ref: '#/components/schemas/Problem'}}},
});
const retryAfter = {'Retry-After': {description: 'Seconds to wait.', schema: {type: 'integer'}}};

export const commonResponses: Json = {
  PaymentRequired: {
    description: 'Payment required: without a payment, or with one that is refused. Nothing is charged.',
    headers: {
      'PAYMENT-REQUIRED': header('The terms, and what was wrong: x402 PaymentRequired, JSON in base64.'),
      Link: header('The free sample (rel="preview") and the schema (rel="describedby"); not on every host.'),
    },
    content: {'application/json': {schema: {$ref: '#/components/schemas/PaymentRequired'}}},
  },
  NotModified: {description: 'The document is the one that If-None-Match names.'},
  UnreadablePayment: {
    description: 'The header PAYMENT-SIGNATURE does not decode to a payment. Nothing is charged. Not on every host.',
    headers: {'PAYMENT-REQUIRED': header('The terms: x402 PaymentRequired, JSON in base64.')},
    content: {'application/json': {schema: {$ref: '#/components/schemas/PaymentRequired'}}},
  },
  NotFound: problem('The document does not exist, or was removed.'),
  InFlight: problem(
    'A payment for this document is being settled, or the sign-in was used before. Send the request again with a new signature: what was paid is not charged twice.',
    retryAfter,
  ),
  Unavailable: problem(
    'Nothing can be delivered now. Send the request again: what was paid is not charged twice.',
    retryAfter,
  ),
  Problem: problem('Any other failure, for example 405 for a method that is not listed.'),
};

export const paidParameters: Readonly<Record<string, Json>> = {
  PaymentSignature: requestHeader(
    'PAYMENT-SIGNATURE',
    'A signed x402 (version 2) payment payload, JSON in base64. Without it the answer is 402.',
  ),
  SignIn: requestHeader(
    'SIGN-IN-WITH-X',
    'The challenge of the 402, signed by the wallet that paid for this document (x402 extension sign-in-with-x, JSON in base64): the document is sent again. Not on every host.',
  ),
  SnapshotSha256: requestHeader(
    'Snapshot-SHA256',
    'The SHA-256 of the document, if it is not the one for sale now. Not on every host.',
    sha256,
  ),
};

export const commonParameters: Json = {
  ...paidParameters,
  Name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of a product in the catalogue.',
    schema: productName,
  },
};

function requestHeader(name: string, description: string, schema: Json = text): Json {
  return {name, in: 'header', required: false, description, schema};
}
