import type {ValidateFunction} from 'ajv';
import {digest} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {bundleSchema} from '../kinds/event-bundle.ts';
import {count} from '../kinds/figures/counts.ts';
import type {Shape} from '../kinds/kind.ts';
import {webAddress} from '../kinds/rows/named-rows.ts';
import {object, type JsonSchema} from '../read/validator.ts';
import type {Publication, Schemas} from './record.ts';
import {listedMember} from './invariants.ts';

const {$schema, title: BUNDLE_TITLE, ...untitledBundleSchema} = bundleSchema;
export {BUNDLE_TITLE};
export const timestamp = {type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'} as const;
const text = {type: 'string', minLength: 1} as const;
const price = {type: 'string', pattern: '^\\$\\d+\\.\\d+$'} as const;
const never = {const: false} as const;

const next = object({name: text, title: text, price, method: {const: 'GET'}, url: webAddress});

/** Only in the documents of parts. */
const part = object({name: text, number: count, of: count, holds: text});

/** The schemas of a product's documents without their heads. Products of the same shape have equal ones. */
export function schemasOf({kind, product, content: {shape, paidContent}, shapes}: Publication): Schemas {
  const listed = 'listed' in listedMember(kind, product) ? {listed: never} : {};
  const inParts = paidContent.type === 'rows' && paidContent.parts !== undefined;
  return {
    sample: object({
      ...(product.listed === false && {sit: never}),
      as_of: timestamp,
      reason: text,
      title: {type: 'string', pattern: 'Sample$'},
      next,
      note: text,
      ...listed,
      ...shape.sample,
    }),
    paid: paidSchema(listed, shape, inParts),
    history: historySchema(shapes),
  };
}

/** The texts of schemas without their heads. Products of the same shape share a compiled schema. */
const texts = new WeakMap<ValidateFunction, string>();

/** Returns the text of a published schema. Only URL and title differ between products of the same shape. */
export function publishedSchema(address: string, title: string, compiled: ValidateFunction): string {
  const members = texts.get(compiled) ?? encode(compiled.schema as JsonSchema).slice('{'.length);
  texts.set(compiled, members);
  return `${encode({$schema, $id: address, title}).slice(0, -'\n}\n'.length)},${members}`;
}

function paidSchema(listed: JsonSchema, {figures, row, document}: Shape, inParts: boolean): JsonSchema {
  if (!row && !document) return untitledBundleSchema;
  const properties: JsonSchema = {
    name: text,
    title: text,
    as_of: timestamp,
    reason: text,
    note: text,
    ...listed,
    ...(inParts ? {part} : {}),
    ...figures,
    ...(document ?? {rows: {type: 'array', items: row}, rows_total: count, rows_truncated: {const: true}}),
    sha256: digest,
  };
  return object(
    properties,
    Object.keys(properties).filter(name => name !== 'rows_truncated' && !(inParts && name === 'part')),
  );
}

/** Returns the schema of a paid document without the optional member `part`, which only the documents of parts have. */
export function withoutPart(schema: JsonSchema): JsonSchema {
  const {required, properties} = schema as {required?: unknown; properties?: Readonly<Record<string, unknown>>};
  if (!properties || !Array.isArray(required) || required.includes('part')) return schema;
  return {...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'part'))};
}

/** A freeze may have classes that another lacks, so points can have different shapes. */
function historySchema(shapes: readonly Shape[]): JsonSchema {
  const points = shapes.map(({figures}) => object({as_of: timestamp, ...figures}));
  const distinct = points.length === 1 ? points : new Map(points.map(point => [JSON.stringify(point), point])).values();
  const [first = {}, ...others] = distinct;
  const items = others.length > 0 ? {anyOf: [first, ...others]} : first;
  return object({name: text, title: text, points: {type: 'array', minItems: 1, items}});
}
