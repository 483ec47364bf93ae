import {formatUnits} from 'viem';
import {priceOf, priceSchema} from '../../shared/price.ts';

export const PRICE = new RegExp(priceSchema.pattern);

/** Parses an amount such as `$0.05` or `$1` to millionths of a dollar. Throws if it is invalid. */
export function microsOf(text: string): number {
  const whole = /^\$\d+$/.test(text) ? `${text}.0` : text;
  if (!PRICE.test(whole)) throw new Error(`Expected an amount such as $0.05.`);
  return priceOf(whole).micros;
}

/** Formats millionths of a dollar with at least two decimals. */
export function dollarsOf(micros: number): string {
  const [whole = '0', decimals = ''] = formatUnits(BigInt(micros), 6).split('.');
  return `$${whole}.${decimals.padEnd(2, '0')}`;
}
