import {ratioOf, sum} from './counts.ts';

/** How a kind shows its figures to people: a whole and its parts, some of which the product is about. */
export interface Picture {
  readonly shape: 'bar' | 'dots';
  /** What is counted, in the plural, e.g. `rows`. */
  readonly unit: string;
  /** Completes "8 of 26 rows …", e.g. `are classed soft_fail`; absent where no share is claimed. */
  readonly claim?: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly label: string;
  readonly n: number;
  /** Whether the part belongs to what is claimed. */
  readonly claimed: boolean;
}

/** What is claimed of a picture: a number, the whole, and their ratio (0 for an empty whole). */
export function shareOf({parts}: Picture): {readonly n: number; readonly total: number; readonly ratio: number} {
  const n = sum(parts.filter(part => part.claimed).map(part => part.n));
  const total = sum(parts.map(part => part.n));
  return {n, total, ratio: ratioOf(n, total)};
}
