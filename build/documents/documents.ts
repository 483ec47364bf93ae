import type {Computed} from '../compute/compute.ts';
import type {Json} from '../kinds/kind.ts';
import {merged} from '../merged.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Site} from '../read/site.ts';
import {type Files} from '../compose/files.ts';
import {PUBLIC} from '../../shared/paths.ts';
import type {InParts} from '../compose/in-parts.ts';
import {paidOf} from './paid.ts';
import {paths} from '../../shared/paths.ts';
import {sampleOf} from './sample.ts';
import {encode, encodeShared, type Fingerprint} from './text.ts';
import {headsOf, untitledSchemasOf} from './schemas.ts';

/** A JSON document as it is composed. */
export interface Composed {
  /** Absolute path, e.g. `/api/v1/softfail3`. */
  readonly path: string;
  readonly value: Json;
  /** The schema that it must keep, where it has one. */
  readonly schema?: JsonSchema;
  /** The members behind those of `value`, where many documents have the same. */
  readonly shared?: object;
}

/** A JSON document of the tree. */
export interface Document extends Fingerprint {
  /** Absolute path, e.g. `/api/v1/softfail3`. */
  readonly path: string;
}

/** All documents of a product, as they are composed or as they are written. */
export interface OfProduct<D> {
  readonly computed: Computed;
  readonly sample: D;
  readonly paid: D;
  readonly others: readonly D[];
}

/** All documents of a product. What was sold, and former samples, are in `computed` no longer. */
export interface ProductDocuments extends OfProduct<Document> {
  /** How many rows or events are sold. */
  readonly sold: number;
}

/** What was made of the products of a site. */
export interface Made {
  readonly site: Site;
  readonly products: readonly ProductDocuments[];
  /** Where the part of each is in the files that have one, by path from the root. */
  readonly places: ReadonlyMap<string, InParts['places']>;
}

/** Composes the documents of a product: sample, paid document, their schemas and the history. */
export function composedOf(site: Site, computed: Computed): OfProduct<Composed> {
  const {name} = computed.product;
  const [heads, schemas] = [headsOf(computed), untitledSchemasOf(computed)];
  const published = (path: string, head: JsonSchema, shared: JsonSchema): Composed => ({
    path,
    value: identified(site, path, head),
    shared,
  });
  return {
    computed,
    sample: {path: paths.sample(name), value: sampleOf(site, computed), schema: schemas.sample},
    paid: {path: paths.paid(name), value: paidOf(computed), schema: schemas.paid},
    others: [
      published(paths.sampleSchema(name), heads.sample, schemas.sample),
      published(paths.paidSchema(name), heads.paid, schemas.paid),
      {path: paths.history(name), value: historyOf(computed), schema: schemas.history},
    ],
  };
}

/** Hands the documents of a product on. */
export function documentsOf({computed, sample, paid, others}: OfProduct<Composed>, files: Files): ProductDocuments {
  const document = ({path, value, shared}: Composed): Document => ({
    path,
    ...files.put(PUBLIC + path, shared ? encodeShared(value, shared) : encode(value)),
  });
  const {goods} = computed.snapshot.content;
  return {
    computed: withoutGoods(computed),
    sample: document(sample),
    paid: document(paid),
    others: others.map(document),
    sold: (goods.type === 'rows' ? goods.rows : goods.events).length,
  };
}

/** Hands on the documents of a product that stand already. */
export function keepDocuments({sample, paid, others}: ProductDocuments, files: Files): void {
  for (const document of [sample, paid, ...others]) files.keep(PUBLIC + document.path, document);
}

function withoutGoods(computed: Computed): Computed {
  const history = computed.history.map(snapshot => {
    const {goods} = snapshot.content;
    const none = goods.type === 'rows' ? {...goods, rows: []} : {...goods, events: []};
    // Only the snapshot that is published is shown.
    const sample = snapshot === computed.snapshot ? snapshot.content.sample : {};
    return {...snapshot, content: merged(snapshot.content, {goods: none, sample})};
  });
  return {...computed, history, snapshot: history.at(-1) ?? computed.snapshot};
}

/** The head of a schema with the address it is published at. */
function identified(site: Site, path: string, {$schema, ...rest}: JsonSchema): JsonSchema {
  return {$schema, $id: site.base_url + path, ...rest};
}

/** The figures at every freeze, oldest first. */
export function historyOf({product, history}: Computed): Json {
  const points = history.map(({as_of, content}) => ({as_of, ...content.figures}));
  return {name: product.name, title: product.title, points};
}
