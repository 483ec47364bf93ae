import {closed} from '../figures/schemas.ts';

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
