import {englishList} from '../../shared/english.ts';
import {NEVER_LISTED, type Kind, type Product} from '../kinds/kind.ts';
import type {Frozen} from './record.ts';

/** The statement that every note carries (specification, "What the service does", 1). */
export const NO_FETCH = 'No live third-party fetch is made.';

/** The member `listed` of a sample or paid document, if it has one. */
export function listedMember({hasListed}: Kind, {listed}: Product): {readonly listed?: false} {
  return hasListed && listed === false ? {listed} : {};
}

/** The statements in `reason` and `note` of a product: those of its kind and, with `"listed": false`, that no listing is claimed. */
export function statementsOf({statements}: Kind, {listed}: Product): readonly string[] {
  return listed === undefined ? statements : [...statements, NEVER_LISTED];
}

/** The snapshot's figures, and how the product differs from its siblings. */
export function reasonOf(product: Product, kind: Kind, finding: string): string {
  const {title, difference, siblings} = product;
  const differs =
    siblings.length > 0
      ? `It differs from the product${siblings.length > 1 ? 's' : ''} ${englishList(siblings)}: it ${difference}.`
      : `It ${difference}.`;
  return [`${title}: ${finding}.`, differs, ...statementsOf(kind, product)].join(' ');
}

/** The frozen sources and their dates, the figures, and the statements. */
export function noteOf(product: Product, kind: Kind, freezes: readonly Frozen[], finding: string): string {
  const sources = freezes.map(({source, as_of, created}) => `${source} as of ${as_of} (made ${created})`);
  const frozen = `Frozen source${sources.length > 1 ? 's' : ''}: ${englishList(sources)}.`;
  const found = `${finding.charAt(0).toUpperCase()}${finding.slice(1)}.`;
  return [frozen, found, NO_FETCH, ...statementsOf(kind, product)].join(' ');
}

/** The names of the sources that a note tells of, each once. */
export function sourcesIn(note: string): string[] {
  const told = note.matchAll(/(?:^Frozen sources?: |, | and )([a-z0-9-]+) as of \S+ \(made [^()]*\)/g);
  return [...new Set([...told].flatMap(([, source]) => source ?? []))];
}
