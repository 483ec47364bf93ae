import {formatUnits} from 'viem';
import {priceOf, priceSchema} from '../../shared/price.ts';

const PRICE = new RegExp(priceSchema.pattern);

/** Millionths of a dollar in a text such as `$0.05`, or `$1`. Throws where it is none. */
export function microsOf(text: string): number {
  const whole = /^\$\d+$/.test(text) ? `${text}.0` : text;
  if (!PRICE.test(whole)) throw new Error(`Expected an amount such as $0.05.`);
  return priceOf(whole).micros;
}

/** The same as text, with at least two decimals. */
export function dollarsOf(micros: number): string {
  const [whole = '0', decimals = ''] = formatUnits(BigInt(micros), 6).split('.');
  return `$${whole}.${decimals.padEnd(2, '0')}`;
}
