import type {Computed} from '../compute/compute.ts';
import type {Json} from '../compute/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Site} from '../read/site.ts';
import {paidOf} from './paid.ts';
import {paths} from './paths.ts';
import {sampleOf} from './sample.ts';
import {historySchemaOf, paidSchemaOf, sampleSchemaOf} from './schemas.ts';

/** A JSON document of the tree and, where it has one, the schema that it must keep. */
export interface Document {
  /** Absolute path, e.g. `/api/v1/softfail3`. */
  readonly path: string;
  readonly value: Json;
  readonly schema?: JsonSchema;
}

/** All documents of a product. */
export interface ProductDocuments {
  readonly computed: Computed;
  readonly sample: Document;
  readonly paid: Document;
  readonly others: readonly Document[];
}

/** Composes the documents of a product: sample, paid document, their schemas and the history. */
export function documentsOf(site: Site, computed: Computed): ProductDocuments {
  const {name} = computed.product;
  const [sampleSchema, paidSchema] = [sampleSchemaOf(computed), paidSchemaOf(computed)];
  const published = (path: string, schema: JsonSchema): Document => ({path, value: identified(site, path, schema)});
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

/** A schema with the address it is published at. */
function identified(site: Site, path: string, {$schema, ...rest}: JsonSchema): JsonSchema {
  return {$schema, $id: site.base_url + path, ...rest};
}

/** The figures at every freeze, oldest first. */
function historyOf({product, history}: Computed): Json {
  const points = history.map(({as_of, content}) => ({as_of, ...content.figures}));
  return {name: product.name, title: product.title, points};
}

/** Bytes that were made before: pages tell size and digest of documents that the tree holds anyway. */
const encoded = new WeakMap<object, Buffer>();

/** The bytes of a JSON document: two-space indent, one final newline, UTF-8 without a byte order mark. */
export function encode(value: object): Buffer {
  const bytes = encoded.get(value) ?? Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  encoded.set(value, bytes);
  return bytes;
}
