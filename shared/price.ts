/** JSON Schema of `$<decimal>`: 1 to 6 decimals (USDC has six), no leading zeros, below a million dollars. */
export const priceSchema = {
  type: 'string',
  pattern: '^\\$(?!0\\.0+$)(0|[1-9][0-9]{0,5})\\.[0-9]{1,6}$',
  description: '"$" and a decimal above zero with 1 to 6 decimals, such as "$0.02"',
} as const;

/** A price: its text, `$<decimal>`, and its millionths of a dollar, USDC's smallest unit. */
export interface Price {
  readonly text: string;
  readonly micros: number;
}

/** The price that a text of the form above says. */
export function priceOf(text: string): Price {
  return {text, micros: microdollars(text)};
}

/** A price in millionths of a dollar, USDC's smallest unit. */
export function microdollars(price: string): number {
  const [whole = '', decimals = ''] = price.slice(1).split('.');
  return Number(whole) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}
