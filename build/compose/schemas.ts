import type {Computed} from '../compute/compute.ts';
import {bundleSchema} from '../compute/event-schemas.ts';
import {count} from '../compute/figures.ts';
import type {Json} from '../compute/kind.ts';
import {digest} from '../compute/signing.ts';
import type {JsonSchema} from '../read/validator.ts';

const $schema = 'https://json-schema.org/draft/2020-12/schema';
const timestamp = {type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'} as const;
const text = {type: 'string', minLength: 1} as const;
const price = {type: 'string', pattern: '^\\$\\d+\\.\\d+$'} as const;
const never = {const: false} as const;

const next = closed({
  name: text,
  title: text,
  price,
  method: {const: 'GET'},
  url: {type: 'string', format: 'uri'},
});

/** JSON Schema (draft 2020-12) of a product's sample. */
export function sampleSchemaOf({product, kind, snapshot}: Computed): JsonSchema {
  return {
    $schema,
    title: `${product.title} Sample`,
    ...closed({
      sit: never,
      as_of: timestamp,
      reason: text,
      title: {type: 'string', pattern: 'Sample$'},
      next,
      note: text,
      ...(kind.listed ? {listed: never} : {}),
      ...snapshot.content.properties.sample,
    }),
  };
}

/** JSON Schema (draft 2020-12) of a product's paid document. */
export function paidSchemaOf({product, kind, snapshot}: Computed): JsonSchema {
  const {goods, properties} = snapshot.content;
  if (goods.type === 'events') return bundleSchema;
  return {
    $schema,
    title: product.title,
    ...closed(
      {
        name: text,
        title: text,
        as_of: timestamp,
        reason: text,
        note: text,
        ...(kind.listed ? {listed: never} : {}),
        ...properties.figures,
        rows: {type: 'array', items: goods.schema},
        rows_total: count,
        rows_truncated: {const: true},
        sha256: digest,
      },
      ['rows_truncated'],
    ),
  };
}

/** JSON Schema (draft 2020-12) of a product's history. */
export function historySchemaOf({history}: Computed): JsonSchema {
  const shapes = history.map(({content}) => closed({as_of: timestamp, ...content.properties.figures}));
  // A freeze may have classes that another has not: every point has the shape of its own.
  const [first = {}, ...others] = new Map(shapes.map(shape => [JSON.stringify(shape), shape])).values();
  const items = others.length > 0 ? {anyOf: [first, ...others]} : first;
  return {$schema, ...closed({name: text, title: text, points: {type: 'array', minItems: 1, items}})};
}

/** An object with these members and no others; all are required but the optional ones. */
function closed(properties: Json, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return {type: 'object', additionalProperties: false, required, properties};
}
