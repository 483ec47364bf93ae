import type {Json} from '../kinds/kind.ts';
import {digestOf} from './seal.ts';

/** What a sample's `next` must say. */
export interface NextProduct {
  readonly name: string;
  readonly price: string;
  /** Absolute address of the paid document. */
  readonly url: string;
}

/** What the texts of a document must say. */
export interface Statements {
  readonly reason: readonly string[];
  readonly note: readonly string[];
}

/** No document claims a listing or a settlement, at any depth (specification, "What the service does", 4). */
export function claims(value: unknown, place = 'document'): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => [
    ...(['listed', 'settle_success'].includes(member) && /^(true|1)$/i.test(String(inner))
      ? [`claims ${member} ${String(inner)} in ${place}`]
      : []),
    ...claims(inner, `${place}.${member}`),
  ]);
}

/** The document's own `sha256`, where it has one, is that of its RFC 8785 form. */
export function digestFaults(document: Json): string[] {
  return 'sha256' in document && document['sha256'] !== digestOf(document)
    ? ['sha256 is not the digest of the document']
    : [];
}

/** `next` agrees with the product and the paid path. */
export function nextFaults(sample: Json, product: NextProduct): string[] {
  const {name, title, price, method, url} = (sample['next'] ?? {}) as Json;
  return [
    ...(name === product.name ? [] : ['next.name is not the name of the product']),
    ...(sample['title'] === `${String(title)} Sample` ? [] : ['title is not next.title and "Sample"']),
    ...(price === product.price && method === 'GET' ? [] : ['next does not name the price and method of the rule']),
    ...(url === product.url ? [] : ['next.url is not the address of the paid document']),
  ];
}

/** Reason and note carry the statements that the specification requires; a document with neither has none to carry. */
export function textFaults({reason, note}: Json, statements: Statements): string[] {
  if (reason === undefined && note === undefined) return [];
  const missing = (name: string, text: unknown, required: readonly string[]) =>
    required.filter(one => !String(text).includes(one)).map(one => `${name} does not say "${one}"`);
  return [...missing('reason', reason, statements.reason), ...missing('note', note, statements.note)];
}

/** `rows_truncated` says whether rows were left out. */
export function rowFaults({rows, rows_total, rows_truncated}: Json): string[] {
  if (!Array.isArray(rows)) return [];
  const complete = rows.length === rows_total;
  return complete === (rows_truncated !== true) ? [] : ['rows_truncated does not follow from rows and rows_total'];
}
