/** Random numbers that are determined by a seed. */
export interface Random {
  /** Returns an integer from 0 to below the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** The generator "mulberry32" with 32 bits of state, good enough to vary tests. */
export function mulberry32(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: probability => next() < probability,
    pick: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
  };
}
