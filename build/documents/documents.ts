import {paths, type DocumentName} from '../../shared/paths.ts';
import type {Content, EventGoods, Json, RowGoods} from '../kinds/kind.ts';
import type {Publication} from './publication.ts';
import type {Excerpt, Goods, ProductRecord, Schemas} from './record.ts';
import {headsOf, publishedSchema} from './schemas.ts';
import {seal} from './seal.ts';
import {noteOf} from './texts.ts';

/** All documents of a product, as they are composed. */
export type Documents = Readonly<Record<DocumentName, Json>>;

/** Composes the documents of a product: sample, paid document, their schemas and the history. */
export function documentsOf(baseUrl: string, publication: Publication, schemas: Schemas): Documents {
  const {product, content, history} = publication;
  const {name, title} = product;
  const heads = headsOf(title, content.goods.type);
  return {
    sample: seal(sampleOf(baseUrl, publication)),
    paid: paidOf(publication, content.goods),
    sampleSchema: publishedSchema(baseUrl + paths.sampleSchema(name), heads.sample, schemas.sample),
    paidSchema: publishedSchema(baseUrl + paths.paidSchema(name), heads.paid, schemas.paid),
    history: historyOf({name, title, history}),
  };
}

/** The free sample: the common members of the specification, then the kind's own. */
function sampleOf(baseUrl: string, {product, kind, published, freezes, content}: Publication): Json {
  const {name, title, price} = product;
  return {
    sit: false,
    as_of: published.as_of,
    reason: published.reason,
    title: `${title} Sample`,
    next: {name, title, price: price.text, method: 'GET', url: baseUrl + paths.paid(name)},
    note: noteOf(kind, freezes, published.finding),
    ...(kind.listed ? {listed: false} : {}),
    ...content.sample,
  };
}

/** The paid document, with these of its goods. */
function paidOf(publication: Publication, goods: RowGoods | EventGoods): Json {
  return seal(goods.type === 'rows' ? rowDocument(publication, goods) : bundle(publication, goods));
}

function rowDocument({product, kind, published, freezes}: Publication, {rows, total}: RowGoods): Json {
  return {
    name: product.name,
    title: product.title,
    as_of: published.as_of,
    reason: published.reason,
    note: noteOf(kind, freezes, published.finding),
    ...(kind.listed ? {listed: false} : {}),
    ...published.figures,
    rows,
    rows_total: total,
    ...(rows.length < total ? {rows_truncated: true} : {}),
    sha256: '',
  };
}

/** Exactly the members of the bundle's schema (specification, Endpoints, rule 3). */
function bundle({published}: Publication, {events, pubkey_hint}: EventGoods): Json {
  return {events, pubkey_hint, sha256: '', as_of: published.as_of};
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
  publication: Publication,
  sample: string,
  {documents, schemas}: Pick<ProductRecord, 'documents' | 'schemas'>,
): ProductRecord {
  const {product, freezes, content, published, history} = publication;
  const {file, name, title, kind, price, difference} = product;
  const {goods} = content;
  return {
    ...{file, name, title, kind, price, difference},
    sources: [...new Set(freezes.map(({source}) => source))],
    published,
    history,
    goods: goodsOf(content),
    sample: excerptOf(sample),
    example: paidOf(publication, goods.type === 'rows' ? {...goods, rows: []} : {...goods, events: []}),
    documents,
    schemas,
  };
}

function goodsOf({goods, sample: {examples}, shape}: Content): Goods {
  const shown = Array.isArray(examples) ? examples.length : 0;
  const columns = Object.keys(shape.row?.['properties'] ?? {});
  if (goods.type === 'rows') return {type: 'rows', sold: goods.rows.length, total: goods.total, columns, shown};
  return {type: 'events', sold: goods.events.length, total: goods.events.length, columns, shown};
}

/** Everybody downloads what is shown of a sample: a short one whole, of a long one the beginning. */
const SHORT_BYTES = 8_192;
const MOST_LINES = 100;

function excerptOf(text: string): Excerpt {
  if (text.length <= SHORT_BYTES) return {text, more: 0};
  const lines = text.trimEnd().split('\n');
  return {text: lines.slice(0, MOST_LINES).join('\n'), more: Math.max(lines.length - MOST_LINES, 0)};
}
