import {paths, type DocumentName} from '../../shared/paths.ts';
import type {Json} from '../kinds/kind.ts';
import {emptyPaidOf, paidOf} from './paid.ts';
import type {Publication} from './publication.ts';
import type {Excerpt, Goods, ProductRecord, Schemas} from './record.ts';
import {sampleOf} from './sample.ts';
import {headsOf, publishedSchema} from './schemas.ts';

/** All documents of a product, as they are composed. */
export type Documents = Readonly<Record<DocumentName, Json>>;

/** Composes the documents of a product: sample, paid document, their schemas and the history. */
export function documentsOf(baseUrl: string, publication: Publication, schemas: Schemas): Documents {
  const {name, title} = publication.product;
  const heads = headsOf(title, publication.content.goods.type);
  return {
    sample: sampleOf(baseUrl, publication),
    paid: paidOf(publication),
    sampleSchema: publishedSchema(baseUrl + paths.sampleSchema(name), heads.sample, schemas.sample),
    paidSchema: publishedSchema(baseUrl + paths.paidSchema(name), heads.paid, schemas.paid),
    history: historyOf({name, title, history: publication.history}),
  };
}

/** The figures at every freeze, oldest first. */
export function historyOf({name, title, history}: Pick<ProductRecord, 'name' | 'title' | 'history'>): Json {
  return {name, title, points: history.map(({as_of, figures}) => ({as_of, ...figures}))};
}

/**
 * The record of a product: everything that catalogue, rules and pages say about it.
 *
 * @param sample the sample's text
 */
export function recordOf(
  {product, freezes, content, published, history, ...rest}: Publication,
  sample: string,
  {documents, schemas}: Pick<ProductRecord, 'documents' | 'schemas'>,
): ProductRecord {
  const {file, name, title, kind, price, difference} = product;
  return {
    ...{file, name, title, kind, price, difference},
    sources: [...new Set(freezes.map(({source}) => source))],
    published,
    history,
    goods: goodsOf({content}),
    sample: excerptOf(sample),
    example: emptyPaidOf({product, freezes, content, published, history, ...rest}),
    documents,
    schemas,
  };
}

function goodsOf({content: {goods, sample, shape}}: Pick<Publication, 'content'>): Goods {
  const {examples} = sample;
  const shown = Array.isArray(examples) ? examples.length : 0;
  if (goods.type === 'events')
    return {type: 'events', sold: goods.events.length, total: goods.events.length, columns: [], shown};
  const columns = Object.keys(shape.row?.['properties'] ?? {});
  return {type: 'rows', sold: goods.rows.length, total: goods.total, columns, shown};
}

/** Everybody downloads what is shown of a sample: a short one whole, of a long one the beginning. */
const SHORT_BYTES = 8_192;
const MOST_LINES = 100;

function excerptOf(text: string): Excerpt {
  const lines = text.trimEnd().split('\n');
  const isShort = text.length <= SHORT_BYTES;
  return isShort
    ? {text, more: 0}
    : {text: lines.slice(0, MOST_LINES).join('\n'), more: Math.max(lines.length - MOST_LINES, 0)};
}
