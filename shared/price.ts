/** The price of a document. */
export interface Price {
  /** `$<decimal>`, as publishers write it and documents show it, for example `$0.02`. */
  readonly text: string;
  /** Millionths of a dollar, USDC's smallest unit. */
  readonly micros: number;
}

/** JSON Schema of a price's text: 1 to 6 decimals (USDC has six), no leading zeros, below a million dollars. */
export const priceSchema = {
  type: 'string',
  pattern: '^\\$(?!0\\.0+$)(0|[1-9][0-9]{0,5})\\.[0-9]{1,6}$',
  description: '"$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"',
} as const;

/** Parses a price that matches `priceSchema`. */
export function priceOf(text: string): Price {
  const [whole = '', decimals = ''] = text.slice(1).split('.');
  return {text, micros: Number(whole) * 1_000_000 + Number(decimals.padEnd(6, '0'))};
}

/** Returns the price in dollars, as the double closest to the text. */
export function usdOf({micros}: Price): number {
  return micros / 1_000_000;
}
