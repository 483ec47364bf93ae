import {bundleSampleProperties, bundleSchema} from './events/schemas.ts';
import {count} from './figures/counts.ts';
import type {EventsKind, Json} from './kind.ts';
import {signature} from './events/signature.ts';

const shape = {figures: {events_n: count}, sample: bundleSampleProperties} as const;

/** A frozen schema for signed demo webhook events: specification, "Webhook Bundle sample". */
export default {
  name: 'event-bundle',
  reads: 'events',
  listed: true,
  marks: ['events', 'pubkey_hint'],
  statements: ['It never includes a fake settle-success event.'],
  product: {required: ['source'], properties: {}},

  answer(product, _freeze, events) {
    const pubkey_hint = `demo-hmac-sha256:${product.name}`;
    return {
      figures: {events_n: events.length},
      finding: `a frozen schema for signed demo webhook events, with an empty event list and one unsigned payment_required event in the sample and ${events.length} signed in the paid bundle`,
      picture: {
        shape: 'dots',
        unit: 'signed events',
        parts: [{label: 'payment_required', n: events.length, claimed: true}],
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
      goods: {
        type: 'events',
        pubkey_hint,
        events: events.map(({type, payload}) => ({type, payload, sig: signature({type, payload}, pubkey_hint)})),
      },
      shape,
    };
  },

  disagreements(document) {
    const events = document['events'] as readonly {type: string; payload: Json; sig: string}[];
    const hint = String(document['pubkey_hint']);
    return [
      ...events.flatMap(({sig, ...event}, index) =>
        sig === signature(event, hint) ? [] : [`events[${index}].sig is not the event's signature`],
      ),
      ...events.flatMap(({type}, index) =>
        type === 'payment_required' ? [] : [`events[${index}].type is not payment_required`],
      ),
      ...('sku' in document && hint !== `demo-hmac-sha256:${String(document['sku'])}`
        ? ['pubkey_hint does not name the sku']
        : []),
      ...('price_usd' in document && document['price_usd'] !== (document['next'] as Json)['price']
        ? ['price_usd is not next.price']
        : []),
    ];
  },
} satisfies EventsKind;
