import type {Kind, Product} from '../kinds/kind.ts';
import type {Freeze} from '../read/freezes.ts';

/** Statements that every reason and note carries (specification, "What the service does", 4 and 1). */
export const NEVER_LISTED = 'listed=true is never invented.';
export const NO_FETCH = 'No live third-party fetch is made.';

/** The snapshot's figures, and how the product differs from its siblings. */
export function reasonOf({title, difference, siblings}: Product, {statements}: Kind, finding: string): string {
  const differs =
    siblings.length > 0
      ? `It differs from the product${siblings.length > 1 ? 's' : ''} ${listOf(siblings)}: it ${difference}.`
      : `It ${difference}.`;
  return [`${title}: ${finding}.`, differs, ...statements, NEVER_LISTED].join(' ');
}

/** The frozen sources and their dates, the figures, and the statements. */
export function noteOf({statements}: Kind, freezes: readonly Freeze[], finding: string): string {
  const sources = freezes.map(({source, as_of, created}) => `${source} as of ${as_of} (made ${created})`);
  const frozen = `Frozen source${sources.length > 1 ? 's' : ''}: ${listOf(sources)}.`;
  const found = `${finding.charAt(0).toUpperCase()}${finding.slice(1)}.`;
  return [frozen, found, NO_FETCH, ...statements, NEVER_LISTED].join(' ');
}

/** `a`, `a and b`, `a, b and c` */
function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
