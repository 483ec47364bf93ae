import type {Network} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';

/** Whether a price in dollars means anything on a network (CAIP-2): whether x402 knows a token there that is one. */
export async function hasDollar(network: string): Promise<boolean> {
  const parsed = new ExactEvmScheme().parsePrice('$1', network as Network);
  return parsed.then(
    () => true,
    () => false,
  );
}
