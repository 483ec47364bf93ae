import type {Computed} from '../compute/compute.ts';
import {bundleTitle, untitledBundleSchema} from '../kinds/events/schemas.ts';
import {count} from '../kinds/figures/counts.ts';
import type {Json, Kind, Shape} from '../kinds/kind.ts';
import {digest} from '../../shared/digest.ts';
import {once} from '../once.ts';
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

/** JSON Schemas (draft 2020-12) of a product's documents. */
export interface Schemas {
  readonly sample: JsonSchema;
  readonly paid: JsonSchema;
  readonly history: JsonSchema;
}

/** The schemas as they are published: with a title each. */
export function schemasOf(computed: Computed): Schemas {
  const {sample, paid, history} = untitledSchemasOf(computed);
  const heads = headsOf(computed);
  return {
    sample: {...heads.sample, ...sample},
    paid: {...heads.paid, ...paid},
    history: {...heads.history, ...history},
  };
}

/** What tells the schemas of products of one shape apart. */
export function headsOf({product: {title}, snapshot}: Computed): Schemas {
  const paid = snapshot.content.shape.row ? title : bundleTitle;
  return {sample: {$schema, title: `${title} Sample`}, paid: {$schema, title: paid}, history: {$schema}};
}

/** The schemas without their heads: products of one shape have the same objects, which are compiled once. */
export function untitledSchemasOf({kind, snapshot, history}: Computed): Schemas {
  const shapes = new Set(history.map(({content}) => content.shape));
  const {schemas} = ofShape(kind, snapshot.content.shape);
  return shapes.size > 1
    ? {...schemas, history: historyOf([...shapes].map(shape => ofShape(kind, shape).point))}
    : schemas;
}

interface OfShape {
  readonly schemas: Schemas;
  /** Of the figures at one freeze. */
  readonly point: JsonSchema;
}

function ofShape(kind: Kind, shape: Shape): OfShape {
  return once(known, shape, () => {
    const point = closed({as_of: timestamp, ...shape.figures});
    return {schemas: {sample: sampleOf(kind, shape), paid: paidOf(kind, shape), history: historyOf([point])}, point};
  });
}
const known = new WeakMap<Shape, OfShape>();

function sampleOf({listed}: Kind, {sample}: Shape): JsonSchema {
  return closed({
    sit: never,
    as_of: timestamp,
    reason: text,
    title: {type: 'string', pattern: 'Sample$'},
    next,
    note: text,
    ...(listed ? {listed: never} : {}),
    ...sample,
  });
}

function paidOf({listed}: Kind, {figures, row}: Shape): JsonSchema {
  if (!row) return untitledBundleSchema;
  return closed(
    {
      name: text,
      title: text,
      as_of: timestamp,
      reason: text,
      note: text,
      ...(listed ? {listed: never} : {}),
      ...figures,
      rows: {type: 'array', items: row},
      rows_total: count,
      rows_truncated: {const: true},
      sha256: digest,
    },
    ['rows_truncated'],
  );
}

/** A freeze may have classes that another has not: every point has the shape of its own. */
function historyOf(points: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = new Map(points.map(point => [JSON.stringify(point), point])).values();
  const items = others.length > 0 ? {anyOf: [first, ...others]} : first;
  return closed({name: text, title: text, points: {type: 'array', minItems: 1, items}});
}

/** An object with these members and no others; all are required but the optional ones. */
function closed(properties: Json, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return {type: 'object', additionalProperties: false, required, properties};
}
