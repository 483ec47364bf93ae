import {formatUnits} from 'viem';

const format = new Intl.NumberFormat('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 6});

/** Atomic units of the token in dollars, e.g. `0.02` for 20,000. */
export function dollars(atomic: bigint | string): string {
  return format.format(Number(formatUnits(BigInt(atomic), 6)));
}
