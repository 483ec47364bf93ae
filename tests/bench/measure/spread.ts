/** The results of several rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(half)] ?? Number.NaN, sorted[Math.ceil(half)] ?? Number.NaN];
  return {median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN};
}

/** Returns the ratio of two figures for each round. Other programs on the machine affect both figures of a round. */
export function ratioOf(values: readonly number[], peers: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (peers[round] ?? Number.NaN)));
}

/** `1.50 (1.43 to 1.61)`, or just `1.50` after a single round. */
export function spreadText({median, min, max}: Spread, digits = 2): string {
  return min === max || Number.isNaN(median)
    ? figure(median, digits)
    : `${figure(median, digits)} (${figure(min, digits)} to ${figure(max, digits)})`;
}

/** Formats a number with separators for thousands, or a dash if there is no number. */
export function figure(value: number, digits = 0): string {
  if (Number.isNaN(value)) return '–';
  return value.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}
