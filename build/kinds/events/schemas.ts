import {digest} from '../../../shared/digest.ts';
import {closed} from '../figures/schemas.ts';
import type {Json} from '../kind.ts';

export const bundleTitle = 'Signed webhook event bundle';

/** What the signed bundle's schema says. */
export const untitledBundleSchema = closed({
  events: {type: 'array', items: closed({type: {type: 'string'}, payload: {type: 'object'}, sig: {type: 'string'}})},
  pubkey_hint: {type: 'string'},
  sha256: {type: 'string'},
  as_of: {type: 'string'},
});

/** The specification's schema of the signed bundle, which its sample carries and its paid document follows. */
export const bundleSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: bundleTitle,
  ...untitledBundleSchema,
} as const;

/** JSON Schemas of the members that the bundle's sample has after the common ones. */
export const bundleSampleProperties: Json = {
  sku: {type: 'string'},
  kind: {const: 'signed_webhook_event_bundle'},
  events: {type: 'array', maxItems: 0},
  unsigned_event: closed({
    type: {const: 'payment_required'},
    payload: closed({sku: {type: 'string'}, http_status: {const: 402}, settle_success: {const: false}}),
    sig: {type: 'null'},
  }),
  pubkey_hint: {type: 'string', pattern: '^demo-hmac-sha256:'},
  sha256: digest,
  schema: {type: 'object'},
  portable: {const: true},
  price_usd: {type: 'string', pattern: '^\\$\\d+\\.\\d+$'},
};
