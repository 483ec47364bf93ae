import {formatUnits} from 'viem';
import {englishNumber} from '../../shared/english.ts';

/** Formats atomic units of the token as dollars: `0.02` for 20,000. */
export function dollars(atomic: bigint | string): string {
  return englishNumber(formatUnits(BigInt(atomic), 6), {minFraction: 2, maxFraction: 6});
}
