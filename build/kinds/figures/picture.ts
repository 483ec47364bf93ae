import {ratioOf, sum} from './counts.ts';

/** How a kind shows its figures to people: a whole and its parts, some of which the product is about. */
export interface Picture {
  readonly shape: 'bar' | 'dots';
  /** What is counted, in the plural, e.g. `rows`. */
  readonly unit: string;
  /** Completes "8 of 26 rows …", e.g. `are classed soft_fail`; absent where no share is claimed. */
  readonly claim?: string;
  readonly parts: readonly Part[];
  /** The figures that it draws, where there may be others beside them; by default all. */
  readonly draws?: readonly string[];
  /** The share by groups of the whole. */
  readonly groups?: PictureGroups;
}

export interface PictureGroups {
  /** The column whose values the groups are. */
  readonly by: string;
  /** How many of each group are claimed. */
  readonly items: readonly {readonly label: string; readonly n: number; readonly total: number}[];
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
