import {createHmac} from 'node:crypto';
import {InputError} from '../../shared/fault.ts';
import {canonical, digest} from '../../shared/digest.ts';
import {trueOf, figureSchemas} from './figures/counts.ts';
import type {FrozenList} from '../read/freezes.ts';
import {readJsonFile} from '../read/json-file.ts';
import {compile, object} from '../read/validator.ts';
import {listedProperty, productName, type Event, type EventsKind, type Json} from './kind.ts';

/** The specification's schema of the signed bundle, which the sample contains and the paid document follows. */
export const bundleSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Signed webhook event bundle',
  ...object({
    events: {type: 'array', items: object({type: {type: 'string'}, payload: {type: 'object'}, sig: {type: 'string'}})},
    pubkey_hint: {type: 'string'},
    sha256: {type: 'string'},
    as_of: {type: 'string'},
  }),
};

const sampleSchemas = {
  sku: {type: 'string'},
  kind: {const: 'signed_webhook_event_bundle'},
  events: {...bundleSchema.properties.events, maxItems: 0},
  unsigned_event: object({
    type: {const: 'payment_required'},
    payload: object({sku: {type: 'string'}, http_status: {const: 402}, settle_success: {const: false}}),
    sig: {type: 'null'},
  }),
  pubkey_hint: {type: 'string', pattern: '^demo-hmac-sha256:'},
  sha256: digest,
  schema: {type: 'object'},
  portable: {const: true},
  price_usd: {type: 'string', pattern: '^\\$\\d+\\.\\d+$'},
};

const payload = object({
  sku: productName,
  http_status: {const: 402},
  settle_success: {const: false, description: 'false: a settlement is never claimed'},
});
const event = object({type: {const: 'payment_required'}, payload});

const events = {type: 'array', items: event} as const;

/** Reads the events of a freeze, in order. Throws `InputError` for events of another type. */
export function readEvents(freeze: FrozenList): readonly Event[] {
  const [file] = freeze.files;
  if (file === undefined || freeze.files.length > 1 || file.endsWith('.gz') || freeze.format !== 'json') {
    const rule = 'is not one uncompressed JSON file, as a source of events must be';
    throw new InputError({code: 'FZ203', file: freeze.descriptor, field: 'resources[0]', rule});
  }
  return readJsonFile(freeze.root, file, compile<readonly Event[]>(events), 'list');
}

/** A frozen schema for signed demo webhook events: specification, "Webhook Bundle sample". */
export default {
  name: 'event-bundle',
  reads: 'events',
  hasListed: true,
  marks: ['events', 'pubkey_hint'],
  statements: ['It never includes a fake settle-success event.'],
  product: {required: ['source'], properties: listedProperty},

  read: readEvents,

  answer(product, events) {
    const pubkey_hint = `demo-hmac-sha256:${product.name}`;
    const figures = {events_n: events.length};
    return {
      figures,
      summary: `a frozen schema for signed demo webhook events, with an empty event list and one unsigned payment_required event in the sample and ${events.length} signed in the paid bundle`,
      chart: {
        shape: 'dots',
        unit: 'signed events',
        parts: [{label: 'payment required', n: events.length, claimed: true}],
      },
      sample: {
        sku: product.name,
        kind: 'signed_webhook_event_bundle',
        events: [],
        unsigned_event: {
          type: 'payment_required',
          payload: {sku: product.name, http_status: 402, settle_success: false},
          sig: null,
        },
        pubkey_hint,
        sha256: '',
        schema: bundleSchema,
        portable: true,
        price_usd: product.price.text,
      },
      paidContent: {
        type: 'events',
        pubkey_hint,
        events: events.map(({type, payload}) => ({type, payload, sig: signature({type, payload}, pubkey_hint)})),
      },
      shape: {figures: figureSchemas(figures), sample: sampleSchemas},
    };
  },

  disagreements(document) {
    const events = document['events'] as readonly {type: string; payload: Json; sig: string}[];
    const {pubkey_hint: hint, price_usd: price, next} = document;
    return [
      ...events.flatMap(({sig, ...event}, index) =>
        trueOf({
          [`events[${index}].sig is not the event's signature`]: sig !== signature(event, String(hint)),
          [`events[${index}].type is not payment_required`]: event.type !== 'payment_required',
        }),
      ),
      ...trueOf({
        'pubkey_hint does not name the sku':
          'sku' in document && hint !== `demo-hmac-sha256:${String(document['sku'])}`,
        'price_usd is not next.price': price !== undefined && price !== (next as Json)['price'],
      }),
    ];
  },
} satisfies EventsKind;

/**
 * Returns the lower-case hex HMAC-SHA-256 of the RFC 8785 form of `{payload, type}`. The key is the UTF-8 of `pubkeyHint`. For
 * demonstration only: the key is public, so every reader can sign.
 */
function signature({type, payload}: {readonly type: string; readonly payload: Json}, pubkeyHint: string): string {
  return createHmac('sha256', pubkeyHint).update(canonical({payload, type})).digest('hex');
}
