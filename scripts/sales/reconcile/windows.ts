import {NodeError} from './node.ts';

/** The number of blocks that most nodes accept in one query. */
const MOST_BLOCKS = 10_000;
const GROWTH = 1.25;

/** The result for the blocks up to `last`. */
export interface View<T> {
  readonly last: number;
  readonly seen: T;
}

/**
 * Calls `look` for blocks `first` to `last`, in windows that adapt to the node: half the size after a refusal, a quarter larger after
 * success. Rejects if a single block is refused.
 */
export async function* inWindows<T>(
  first: number,
  last: number,
  look: (first: number, last: number) => Promise<T>,
): AsyncGenerator<View<T>> {
  let size = MOST_BLOCKS;
  for (let next = first; next <= last;) {
    const end = Math.min(next + size - 1, last);
    try {
      yield {last: end, seen: await look(next, end)};
    } catch (error) {
      if (!(error instanceof NodeError) || end === next) throw error;
      size = Math.ceil((end - next + 1) / 2);
      continue;
    }
    next = end + 1;
    size = Math.min(MOST_BLOCKS, Math.ceil(size * GROWTH));
  }
}
