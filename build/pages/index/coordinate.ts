/** A coordinate with three decimals at most: the same text on every machine. */
export function coordinate(number: number): string {
  return String(Number(number.toFixed(3)));
}
