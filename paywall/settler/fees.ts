import type {Node} from '../payments/chain/node.ts';

/** Of EIP-1559, in wei a unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** What a transaction has to offer now. */
export interface GoingFees extends Fees {
  /** Of the next block: who offers less is not in it. */
  readonly base: bigint;
}

/** How many times the going fee is offered at most. */
const MOST = 10n;

/** Offers twice the base fee, which so may rise for six full blocks in a row. */
export async function goingFees(node: Node): Promise<GoingFees> {
  const [{baseFeePerGas}, maxPriorityFeePerGas] = await Promise.all([
    node.getFeeHistory({blockCount: 1, rewardPercentiles: []}),
    node.estimateMaxPriorityFeePerGas(),
  ]);
  const base = baseFeePerGas.at(-1) ?? 0n;
  return {base, maxPriorityFeePerGas, maxFeePerGas: 2n * base + maxPriorityFeePerGas};
}

/** What to offer in place of a former offer, which nodes ask to be 12.5 % more at least; nothing where that is too much. */
export function raised(former: Fees, going: Fees): Fees | undefined {
  const maxFeePerGas = larger(more(former.maxFeePerGas), going.maxFeePerGas);
  if (maxFeePerGas > MOST * going.maxFeePerGas) return undefined;
  const tip = larger(more(former.maxPriorityFeePerGas), going.maxPriorityFeePerGas);
  return {maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas};
}

function more(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
