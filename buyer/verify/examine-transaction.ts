import {TransactionNotFoundError, TransactionReceiptNotFoundError, type Hex} from 'viem';
import {z} from '@x402/core/schemas';
import {nodeAt, type Node} from '../../shared/evm/node.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {counted} from '../../shared/counted.ts';
import {InputError} from '../../shared/fault.ts';
import {earlinessOf} from '../../shared/proof.ts';
import type {ListedFreeze} from '../../shared/shapes.ts';
import {failed, passed, unchecked} from './check.ts';
import {PROOF, type ExaminedProof} from './proof-result.ts';
import {readUntrusted} from './untrusted-json.ts';
import type {Witnesses} from './witness-checks.ts';

/** A proof by a transaction, as `frozen witness` writes it. */
const proofSchema = z.strictObject({
  network: z.string().regex(/^eip155:[1-9][0-9]{0,31}$/),
  transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
  block: z.number().int().min(0),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Checks a proof by a transaction. Returns a result if no check failed. Without a node, the proof is not verified. */
export async function examineTransaction(
  subject: string,
  bytes: Uint8Array,
  freeze: Pick<ListedFreeze, 'as_of' | 'descriptor'>,
  {rpcUrl, confirmations}: Pick<Witnesses, 'rpcUrl' | 'confirmations'>,
): Promise<ExaminedProof> {
  const proof = proofSchema.safeParse(readUntrusted(subject, bytes)).data;
  if (!proof) throw new InputError({code: 'FZ113', subject, rule: 'is not a proof by a transaction'});
  const {network, transaction, block, digest} = proof;
  if (digest !== freeze.descriptor)
    return {
      checks: [failed(PROOF, subject, `is for the digest ${digest}, not for that of the freeze, ${freeze.descriptor}`)],
    };
  const by = `transaction ${transaction.slice(0, 10)}… on ${network}`;
  const unproved = (why: string) => ({checks: [unchecked(PROOF, subject, why)], unproved: `${by} (${why})`});
  if (rpcUrl === undefined) return unproved('--rpc-url checks it with a node');
  try {
    const node = nodeAt(rpcUrl);
    const found = `eip155:${await node.getChainId()}`;
    if (found !== network) return unproved(`the node belongs to ${found}`);
    const inclusion = await inclusionOf(node, proof);
    if (typeof inclusion === 'string') return {checks: [failed(PROOF, subject, inclusion)]};
    const {time, depth} = inclusion;
    if (depth < confirmations)
      return unproved(`it has ${counted(depth, 'confirmation')} so far, and needs ${confirmations}`);
    const early = earlinessOf(time, freeze.as_of);
    if (early !== undefined) return {checks: [failed(PROOF, subject, early)]};
    const fine = passed(PROOF, subject, `transaction ${transaction} on ${network}, in block ${block} of ${time}`);
    return {checks: [fine], result: {by, witness: network, latest: time}};
  } catch (error) {
    return unproved(`the node gave no usable answer: ${errorMessage(error)}`);
  }
}

/** Returns time and depth of a transaction on the chain, or why it is not a proof, as the end of a sentence. */
async function inclusionOf(
  node: Node,
  {transaction, block, digest}: z.infer<typeof proofSchema>,
): Promise<string | {readonly time: string; readonly depth: number}> {
  const hash = transaction as Hex;
  try {
    const [{input}, {status, blockNumber}] = await Promise.all([
      node.getTransaction({hash}),
      node.getTransactionReceipt({hash}),
    ]);
    if (input !== `0x${digest}`) return `names transaction ${hash}, whose data is not the digest`;
    if (status !== 'success') return `names transaction ${hash}, which was reverted`;
    if (blockNumber !== BigInt(block))
      return `names block ${block}, and transaction ${hash} is in block ${blockNumber}`;
    const [{timestamp}, head] = await Promise.all([node.getBlock({blockNumber}), node.getBlockNumber()]);
    return {time: new Date(Number(timestamp) * 1000).toISOString(), depth: Number(head - blockNumber) + 1};
  } catch (error) {
    if (error instanceof TransactionNotFoundError || error instanceof TransactionReceiptNotFoundError)
      return `names transaction ${hash}, which is not on the chain, or no longer`;
    throw error;
  }
}
