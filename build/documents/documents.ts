import type {ValidateFunction} from 'ajv';
import {paths, type DocumentName} from '../../shared/paths.ts';
import type {Content, Json, PaidRows, Period} from '../kinds/kind.ts';
import {columnTypesOf} from './row-files.ts';
import {
  type Part,
  type Publication,
  type PaidContent,
  type ProductRecord,
  type Schemas,
  type UnpagedRecord,
} from './record.ts';
import {BUNDLE_TITLE, publishedSchema} from './schemas.ts';
import {given} from '../read/table-schema.ts';
import {seal} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {listedMember, noteOf} from './invariants.ts';
import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';
import type {JsonSchema} from '../read/validator.ts';
import {date} from '../rows/field-types.ts';

/** The documents of a product that contain its figures. */
export type Documents = Readonly<Record<keyof Schemas, Json>>;

/** Composes the sample, the paid document and the history of a product. */
export function documentsOf(baseUrl: string, publication: Publication): Documents {
  const {product, content, history} = publication;
  const {name, title} = product;
  return {
    sample: seal(sampleDocument(baseUrl, publication)),
    paid: paidDocument(publication, content.paidContent),
    history: {name, title, points: history.map(({as_of, figures}) => ({as_of, ...figures}))},
  };
}

/** Returns the texts of all documents of a product. */
export function documentTexts(
  baseUrl: string,
  {product: {name, title}, content: {paidContent}}: Publication,
  {sample, paid, history}: Documents,
  compiled: Readonly<Record<keyof Schemas, ValidateFunction>>,
): Readonly<Record<DocumentName, string>> {
  const paidTitle = paidContent.type === 'events' ? BUNDLE_TITLE : title;
  return {
    sample: encode(sample),
    paid: encode(paid),
    sampleSchema: publishedSchema(baseUrl + paths.sampleSchema(name), `${title} Sample`, compiled.sample),
    paidSchema: publishedSchema(baseUrl + paths.paidSchema(name), paidTitle, compiled.paid),
    history: encode(history),
  };
}

/** The free sample: the common members of the specification, then those of the kind. */
function sampleDocument(baseUrl: string, {product, kind, published, freezes, content}: Publication): Json {
  const {name, title, price} = product;
  return {
    ...(product.listed === false && {sit: false}),
    as_of: published.as_of,
    reason: published.reason,
    title: `${title} Sample`,
    next: {name, title, price: price.text, method: 'GET', url: baseUrl + paths.paid(name)},
    note: noteOf(product, kind, freezes, published.summary),
    ...listedMember(kind, product),
    ...content.sample,
  };
}

/**
 * Composes the paid document, or that of a part: the common members, the figures, and what is sold. An event bundle has exactly the members
 * of its schema (specification, Endpoints, rule 3).
 */
export function paidDocument(
  {product, kind, published, freezes}: Publication,
  paidContent: Content['paidContent'],
  part?: Part,
): Json {
  const {as_of, reason, summary, figures} = published;
  if (paidContent.type === 'events') {
    const {events, pubkey_hint} = paidContent;
    return seal({events, pubkey_hint, sha256: '', as_of});
  }
  return seal({
    name: product.name,
    title: product.title,
    as_of,
    reason,
    note: noteOf(product, kind, freezes, summary),
    ...listedMember(kind, product),
    ...(part && {part: part.facts}),
    ...figures,
    ...(paidContent.type === 'rows' ? rowMembers(part ?? paidContent, paidContent.total) : paidContent.members),
    sha256: '',
  });
}

function rowMembers({rows}: Pick<PaidRows, 'rows'>, total: number): Json {
  return {rows, rows_total: total, ...(rows.length < total ? {rows_truncated: true} : {})};
}

/** Returns the data of a product for its page. */
export function recordOf(
  publication: Publication,
  {documents, editions}: Pick<ProductRecord, 'documents' | 'editions'>,
): UnpagedRecord {
  const {product, freezes, content, published, history, next, snapshots} = publication;
  const {file, name, title, order, every, kind, price, difference, labels, units} = product;
  return {
    ...{file, name, title, kind, price, difference, published, history, documents, editions},
    ...given({order, snapshots, next_expected: every && nextExpected(published.as_of, every)}),
    ...(next !== undefined && {pass: {next}}),
    words: given({labels, units}),
    freezes: freezes.map(({source, as_of, created, about}) => ({source, as_of, created, about})),
    paidContent: paidContentOf(content),
    columnWords: content.shape.columnWords ?? {},
    columnTypes: columnTypesOf(content.shape),
    example: paidDocument(publication, emptied(content)),
  };
}

function emptied({paidContent, shape}: Content): Content['paidContent'] {
  if (paidContent.type === 'rows') return {...paidContent, rows: []};
  if (paidContent.type === 'events') return {...paidContent, events: []};
  return {...paidContent, members: placeholders(shape.document ?? {})};
}

function paidContentOf({paidContent, sample: {examples}, shape}: Content): PaidContent {
  const {type} = paidContent;
  const shown = Array.isArray(examples) ? examples.length : 0;
  const columns = Object.keys(shape.document ?? shape.row?.['properties'] ?? {});
  if (type === 'document')
    return {type, sold: 1, total: 1, columns, shown, ...(paidContent.holds && {holds: paidContent.holds})};
  const sold = (type === 'rows' ? paidContent.rows : paidContent.events).length;
  return {type, sold, total: type === 'rows' ? paidContent.total : sold, columns, shown};
}

dayjs.extend(utc);

/**
 * Returns the time (UTC) at which a newer snapshot is due: `as_of` plus a calendar period. A month after 31 January is 28 or 29 February.
 */
export function nextExpected(as_of: string, every: Period): string {
  const [count, unit] = every === 'quarter' ? ([3, 'month'] as const) : ([1, every] as const);
  return dayjs.utc(as_of).add(count, unit).toISOString();
}

/** A valid value for a column of a query that does not reveal the real one: empty, zero or false. */
function placeholder(schema: JsonSchema): unknown {
  const [first] = [schema['anyOf']].flat();
  if (first !== undefined) return placeholder(first as JsonSchema);
  const [type] = [schema['type']].flat();
  if (type === 'object') return placeholders((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  if (type !== 'string') return null;
  if (schema['pattern'] === date.pattern) return '0000-01-01';
  return schema['pattern'] === undefined ? '' : '0';
}

function placeholders(properties: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, placeholder(schema)]));
}
