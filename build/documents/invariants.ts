import type {ValidateFunction} from 'ajv';
import type {Fault} from '../../shared/fault.ts';
import {paths, PUBLIC} from '../../shared/paths.ts';
import {trueOf} from '../kinds/figures/counts.ts';
import {type Json, NEVER_LISTED, type Kind, type Product} from '../kinds/kind.ts';
import type {Documents} from './documents.ts';
import type {Publication, Schemas, Frozen} from './record.ts';
import {violationsOf} from '../read/validator.ts';
import {capitalised, englishList} from '../../shared/english.ts';

/** The statement in every note (specification, "What the service does", 1). */
export const NO_FETCH = 'No live third-party fetch is made.';

/** The member `listed` of a sample or paid document, if it has one. */
export function listedMember({hasListed}: Kind, {listed}: Product): {readonly listed?: false} {
  return hasListed && listed === false ? {listed} : {};
}

function statementsOf({statements}: Kind, {listed}: Product): readonly string[] {
  return listed === undefined ? statements : [...statements, NEVER_LISTED];
}

/** Returns the text of `reason`: the figures, the difference from sibling products, and the statements. */
export function reasonOf(product: Product, kind: Kind, summary: string): string {
  const {title, difference, siblings} = product;
  const others = `differs from the product${siblings.length > 1 ? 's' : ''} ${englishList(siblings)}: it `;
  const differs = `It ${siblings.length > 0 ? others : ''}${difference}.`;
  return [`${title}: ${summary}.`, differs, ...statementsOf(kind, product)].join(' ');
}

/** Returns the text of `note`: the frozen sources with their dates, the figures, and the statements. */
export function noteOf(product: Product, kind: Kind, freezes: readonly Frozen[], summary: string): string {
  const sources = freezes.map(({source, as_of, created}) => `${source} as of ${as_of} (made ${created})`);
  const frozen = `Frozen source${sources.length > 1 ? 's' : ''}: ${englishList(sources)}.`;
  return [frozen, `${capitalised(summary)}.`, NO_FETCH, ...statementsOf(kind, product)].join(' ');
}

/** Returns the names of the sources in a note, without duplicates. */
export function sourcesIn(note: string): string[] {
  const found = note.matchAll(/(?:^Frozen sources?: |, | and )([a-z0-9-]+) as of \S+ \(made [^()]*\)/g);
  return [...new Set([...found].flatMap(([, source]) => source ?? []))];
}

/** Checks the documents of a product against their schemas and the invariants (docs/formats.md, "Invariants"). */
export function invariantFaults(
  baseUrl: string,
  publication: Publication,
  {sample, paid, history}: Documents,
  compiled: Readonly<Record<keyof Schemas, ValidateFunction>>,
): Fault[] {
  const {name, price} = publication.product;
  const fileOf = (document: keyof Schemas) => PUBLIC + paths[document](name);
  const next = nextFaults(sample, {name, price: price.text, url: baseUrl + paths.paid(name)});
  return [
    ...figureFaults(publication, fileOf('sample'), sample, compiled.sample),
    ...brokenFaults(fileOf('sample'), next),
    ...figureFaults(publication, fileOf('paid'), paid, compiled.paid),
    ...schemaFaults(fileOf('history'), history, compiled.history),
  ];
}

/** Checks a sample, a paid document or the document of a part. `file` is its path from the root. */
export function figureFaults(
  {kind, product, freezes}: Publication,
  file: string,
  document: Json,
  compiled: ValidateFunction,
): Fault[] {
  const frozen = freezes.flatMap(({source, as_of}) => [source, as_of]);
  const own = statementsOf(kind, product);
  const statements = {reason: [...product.siblings, ...own], note: [NO_FETCH, ...frozen, ...own]};
  const texts = textFaults(document, statements);
  const broken = [...kind.disagreements(document), ...claims(document), ...texts, ...rowFaults(document)];
  return [...schemaFaults(file, document, compiled), ...brokenFaults(file, broken)];
}

function brokenFaults(file: string, rules: readonly string[]): Fault[] {
  return rules.map(rule => ({code: 'FZ306', file, rule: `breaks the specification: ${rule}`}));
}

/** Finds claims of a listing or a settlement at any depth. Documents must not have them (specification, "What the service does", 4). */
export function claims(value: unknown, place = 'document'): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => [
    ...(['listed', 'settle_success'].includes(member) && /^(true|1)$/i.test(String(inner))
      ? [`claims ${member} ${String(inner)} in ${place}`]
      : []),
    ...claims(inner, `${place}.${member}`),
  ]);
}

/** Checks that `next` agrees with the product and the absolute URL of its paid document. */
export function nextFaults(sample: Json, product: Readonly<Record<'name' | 'price' | 'url', string>>): string[] {
  const {name, title, price, method, url} = (sample['next'] ?? {}) as Json;
  return trueOf({
    'next.name is not the name of the product': name !== product.name,
    'title is not next.title followed by "Sample"': sample['title'] !== `${String(title)} Sample`,
    'next does not name the price and method of the rule': price !== product.price || method !== 'GET',
    'next.url is not the address of the paid document': url !== product.url,
  });
}

/** Checks that `reason` and `note` contain the required statements. A document with neither member passes. */
export function textFaults(
  document: Json,
  statements: Readonly<Record<'reason' | 'note', readonly string[]>>,
): string[] {
  if (document['reason'] === undefined && document['note'] === undefined) return [];
  return (['reason', 'note'] as const).flatMap(member =>
    statements[member]
      .filter(statement => !String(document[member]).includes(statement))
      .map(statement => `${member} does not say "${statement}"`),
  );
}

/** Checks that `rows_truncated` is set if and only if rows were left out. */
export function rowFaults({rows, rows_total, rows_truncated}: Json): string[] {
  if (!Array.isArray(rows)) return [];
  const complete = rows.length === rows_total;
  return complete === (rows_truncated !== true) ? [] : ['rows_truncated does not follow from rows and rows_total'];
}

function schemaFaults(file: string, document: object, validate: ValidateFunction): Fault[] {
  if (validate(document)) return [];
  return violationsOf(validate).map(({path, value, rule}) => ({
    code: 'FZ306',
    file,
    field: path.join('.'),
    value: typeof value === 'object' ? undefined : value,
    rule,
  }));
}
