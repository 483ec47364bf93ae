import type {Node} from '../../shared/evm/node.ts';

/** The fees of a transaction (EIP-1559), in wei per unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The fees to offer at this time. */
export interface CurrentFees extends Fees {
  /** The base fee of the next block, which does not include a transaction that offers less. */
  readonly base: bigint;
}

/** A transaction never offers more than this many times the current fee. */
const MOST = 10n;

/** Returns fees with twice the base fee, which may rise for six full blocks in a row before the offer is too low. */
export async function currentFees(node: Node): Promise<CurrentFees> {
  const [{baseFeePerGas}, maxPriorityFeePerGas] = await Promise.all([
    node.getFeeHistory({blockCount: 1, rewardPercentiles: []}),
    node.estimateMaxPriorityFeePerGas(),
  ]);
  const base = baseFeePerGas.at(-1) ?? 0n;
  return {base, maxPriorityFeePerGas, maxFeePerGas: 2n * base + maxPriorityFeePerGas};
}

/** Returns the fees of a replacement, which nodes want to be at least 12.5 % higher, or undefined if that is too much. */
export function raised(former: Fees, current: Fees): Fees | undefined {
  const maxFeePerGas = larger(increased(former.maxFeePerGas), current.maxFeePerGas);
  if (maxFeePerGas > MOST * current.maxFeePerGas) return undefined;
  const tip = larger(increased(former.maxPriorityFeePerGas), current.maxPriorityFeePerGas);
  return {maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas};
}

function increased(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
