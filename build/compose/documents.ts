import type {Computed} from '../compute/compute.ts';
import type {Json} from '../compute/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Site} from '../read/site.ts';
import {paidOf} from './paid.ts';
import {paths} from './paths.ts';
import {sampleOf} from './sample.ts';
import {historySchemaOf, paidSchemaOf, sampleSchemaOf} from './schemas.ts';

/** A JSON document as it is composed. */
export interface Composed {
  /** Absolute path, e.g. `/api/v1/softfail3`. */
  readonly path: string;
  readonly value: Json;
  /** The schema that it must keep, where it has one. */
  readonly schema?: JsonSchema;
}

/** A JSON document of the tree. */
export interface Document {
  /** Absolute path, e.g. `/api/v1/softfail3`. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** All documents of a product, as they are composed or as they are written. */
export interface OfProduct<D> {
  readonly computed: Computed;
  readonly sample: D;
  readonly paid: D;
  readonly others: readonly D[];
}

/** All documents of a product. */
export type ProductDocuments = OfProduct<Document>;

/** Composes the documents of a product: sample, paid document, their schemas and the history. */
export function composedOf(site: Site, computed: Computed): OfProduct<Composed> {
  const {name} = computed.product;
  const [sampleSchema, paidSchema] = [sampleSchemaOf(computed), paidSchemaOf(computed)];
  const published = (path: string, schema: JsonSchema): Composed => ({path, value: identified(site, path, schema)});
  return {
    computed,
    sample: {path: paths.sample(name), value: sampleOf(site, computed), schema: sampleSchema},
    paid: {path: paths.paid(name), value: paidOf(computed), schema: paidSchema},
    others: [
      published(paths.sampleSchema(name), sampleSchema),
      published(paths.paidSchema(name), paidSchema),
      {path: paths.history(name), value: historyOf(computed), schema: historySchemaOf(computed)},
    ],
  };
}

/** The bytes alone: of many products the values would fill the memory. */
export function documentsOf({computed, sample, paid, others}: OfProduct<Composed>): ProductDocuments {
  const document = ({path, value}: Composed): Document => ({path, bytes: encode(value)});
  return {computed, sample: document(sample), paid: document(paid), others: others.map(document)};
}

/** What a document says. */
export function valueOf({bytes}: Document): Json {
  return JSON.parse(bytes.toString()) as Json;
}

/** A schema with the address it is published at. */
function identified(site: Site, path: string, {$schema, ...rest}: JsonSchema): JsonSchema {
  return {$schema, $id: site.base_url + path, ...rest};
}

/** The figures at every freeze, oldest first. */
function historyOf({product, history}: Computed): Json {
  const points = history.map(({as_of, content}) => ({as_of, ...content.figures}));
  return {name: product.name, title: product.title, points};
}

/** The bytes of a JSON document: two-space indent, one final newline, UTF-8 without a byte order mark. */
export function encode(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
