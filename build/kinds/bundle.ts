import type {Fault} from '../../shared/fault.ts';
import {digest, sha256} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {englishList} from '../../shared/english.ts';
import {object} from '../read/validator.ts';
import {trueOf, figureSchemas, type Chart} from './figures/counts.ts';
import {productName, type BundledDocument, type DocumentsKind, type Json, type Product} from './kind.ts';

/** The most later snapshots that a pass can include. */
export const MOST_NEXT = 100;
const MOST_BUNDLED = 100;

interface BundleProduct extends Product {
  /** The names of the products whose paid documents it contains. */
  readonly bundle: readonly string[];
  /** How many later snapshots a sale includes. If given, the bundle is a pass. */
  readonly next?: number;
}

/** What a page shows of a document in a bundle. */
export type BundledExample = Readonly<Record<'name' | 'title' | 'as_of' | 'price', string>>;

const text = {type: 'string', minLength: 1} as const;
/** Members that describe a source, which a bundle does not have. */
const OF_SOURCES = ['source', 'freeze'] as const;

/** Sells the paid documents of other products together for one price. With `next` it is a pass, which includes later snapshots. */
export default {
  name: 'bundle',
  reads: 'documents',
  hasListed: false,
  statements: [],
  product: {
    required: ['bundle'],
    properties: {
      bundle: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_BUNDLED,
        uniqueItems: true,
        items: productName,
      },
      next: {type: 'integer', minimum: 1, maximum: MOST_NEXT, description: `a whole number from 1 to ${MOST_NEXT}`},
    },
  },

  faults({file, bundle, next}, given) {
    const fault = (field: string, rule: string, more: Partial<Fault> = {}): Fault => {
      return {code: 'FZ206', file, field, rule, ...more};
    };
    const alone = {value: bundle[0], fix: 'Name more products, or set "next".'};
    const ofSources = 'is for products over a source, not for bundles, which contain the documents of other products';
    return [
      ...(bundle.length === 1 && next === undefined
        ? [fault('bundle', 'is the only product of the bundle', alone)]
        : []),
      ...OF_SOURCES.filter(field => given.has(field)).map(field => fault(field, ofSources)),
    ];
  },

  tables: () => [],

  holds: ({bundle}) => bundle,

  next: ({next}) => next,

  answer({next}, bundled) {
    const figures = {documents_n: bundled.length};
    const schemas = figureSchemas(figures);
    const documents = bundled.map(({name, title, as_of, url, sha256, document}) => ({
      name,
      title,
      as_of,
      url,
      sha256,
      document,
    }));
    const examples: BundledExample[] = bundled.map(({name, title, as_of, price}) => ({name, title, as_of, price}));
    const titles = bundled.map(({title}) => title);
    const later =
      next === undefined ? '' : `, and a payment includes the next ${next === 1 ? 'snapshot' : `${next} snapshots`}`;
    return {
      figures,
      summary: `contains the ${bundled.length === 1 ? 'document' : `${bundled.length} documents`} ${englishList(titles)}${later}`,
      chart: contentsChart(bundled),
      sample: {
        ...figures,
        documents: bundled.map(({name, title, as_of, price, sample}) => ({name, title, as_of, price, sample})),
      },
      examples,
      paidContent: {type: 'document', members: {documents}, holds: titles},
      shape: {
        figures: schemas,
        sample: {
          ...schemas,
          documents: {type: 'array', items: object({name: text, title: text, as_of: text, price: text, sample: text})},
        },
        document: {
          documents: {
            type: 'array',
            maxItems: bundled.length,
            items: {
              anyOf: bundled.map(({name, url, schema}) =>
                object({
                  name: {const: name},
                  title: text,
                  as_of: text,
                  url: {const: url},
                  sha256: digest,
                  document: schema,
                }),
              ),
            },
          },
        },
      },
    };
  },

  /** A document in a bundle is encoded as when it is sold separately, so its digest must match. Bundled events have only `as_of`. */
  disagreements({documents_n, documents}) {
    if (!Array.isArray(documents)) return [];
    const changed = (documents as readonly Json[]).flatMap(({sha256: named, document, ...about}) => {
      if (document === undefined) return [];
      const name = String(about['name']);
      const inside = {...about, ...(document as Json)};
      return [
        ...(sha256(encode(document as object)) === named ? [] : [`the document ${name} is not the one of its sha256`]),
        ...['name', 'title', 'as_of']
          .filter(member => inside[member] !== about[member])
          .map(member => `${member} of the document ${name} differs inside the document`),
      ];
    });
    return [...changed, ...trueOf({'documents_n is not the number of documents': documents.length !== documents_n})];
  },
} satisfies DocumentsKind<BundleProduct>;

/** A chart of the rows in each document. If one does not consist of rows, each document counts as one. */
function contentsChart(bundled: readonly BundledDocument[]): Chart {
  const rowsIn = ({document: {rows}}: BundledDocument) => (Array.isArray(rows) ? rows.length : 0);
  const haveRows = bundled.every(one => rowsIn(one) > 0);
  const parts = bundled.map(one => ({label: one.title, n: haveRows ? rowsIn(one) : 1, claimed: false}));
  return {shape: 'bar', unit: haveRows ? 'rows' : 'documents', parts};
}
