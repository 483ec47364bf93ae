import {setTimeout as delay} from 'node:timers/promises';
import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  TransactionReceiptNotFoundError,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import {validateTransactionProof} from '../../build/read/proofs.ts';
import {currentFees} from '../../paywall/settler/fees.ts';
import {nodeAt} from '../../shared/evm/node.ts';
import {encode} from '../../shared/encode.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Witness} from './witness.ts';

const ASK_EVERY_MS = 250;
const SEND_EVERY_MS = 5_000;
const PATIENCE_MS = 180_000;
const UNSENT = 'Nothing was sent. Correct what the node reports, and run the command again.';
const SENT_BEFORE = /already known|already imported|nonce too low|replacement transaction underpriced/i;

/** Stores a signed transaction from before it is sent until its proof is written. */
export interface Pending {
  /** The file name for messages. */
  readonly file: string;
  read(): Promise<string | undefined>;
  save(transaction: Hex): Promise<void>;
}

type Node = ReturnType<typeof nodeAt>;
type Refused = (rule: string, fix?: string, cause?: unknown) => InputError;

/**
 * Returns the chain of a node as a witness, on which an account records digests and pays the gas. Throws `InputError` if the node does not
 * answer.
 */
export async function chainBy(rpc: string, account: PrivateKeyAccount): Promise<Witness> {
  const url = shownAddress(rpc, 'origin');
  const node = nodeAt(rpc);
  const refused: Refused = (rule, fix, cause) => new InputError({code: 'FZ125', url, rule, fix}, {cause});
  const answered = async <T>(ask: Promise<T>, fix?: string): Promise<T> =>
    ask.catch((cause: unknown) => {
      throw cause instanceof InputError ? cause : refused(`refuses: ${errorMessage(cause)}`, fix, cause);
    });
  const chainId = await node.getChainId().catch((cause: unknown) => {
    throw new InputError({code: 'FZ503', url, rule: `does not answer: ${errorMessage(cause)}`}, {cause});
  });
  const network = `eip155:${chainId}`;
  return {
    name: `${network.replace(':', '-')}.json`,
    /**
     * Sends a digest as data of a transaction to the sender itself, and returns its position once it is in a block. A stored transaction is
     * looked up, and sent again if the node does not have it. Throws `InputError`, also if it was reverted.
     */
    async ask(digest, _freeze, pending) {
      const {file} = pending;
      const text = await pending.read();
      const transaction =
        text === undefined
          ? await answered(signed(node, account, {chainId, digest}), UNSENT)
          : checked(text, {chainId, digest}, file);
      if (text === undefined) await pending.save(transaction);
      const hash = keccak256(transaction);
      const block = await answered(blockOf(node, transaction, file, refused), kept(hash, file));
      const proof = {network, transaction: hash, block: Number(block), digest};
      if (!validateTransactionProof(proof))
        throw new InputError({code: 'FZ503', url, rule: 'did not return a transaction of an EVM chain'});
      return [encode(proof), `in transaction ${hash} of ${network}, block ${block}`];
    },
  };
}

/** The chain, and the digest in hex that is recorded on it. */
interface Entry {
  readonly chainId: number;
  readonly digest: string;
}

async function signed(node: Node, account: PrivateKeyAccount, {chainId, digest}: Entry): Promise<Hex> {
  const {address} = account;
  const call = {to: address, value: 0n, data: `0x${digest}`} as const;
  const [nonce, gas, fees] = await Promise.all([
    node.getTransactionCount({address, blockTag: 'pending'}),
    node.estimateGas({account: address, ...call}),
    currentFees(node),
  ]);
  const {maxFeePerGas, maxPriorityFeePerGas} = fees;
  return account.signTransaction({type: 'eip1559', chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, ...call});
}

/** Parses the stored transaction. Throws `InputError` if it is not for this chain and digest. */
function checked(text: string, {chainId, digest}: Entry, stored: string): Hex {
  const wrong = {code: 'FZ125', file: stored, fix: 'Delete it to send another one.'} as const;
  try {
    const transaction = text.trim() as Hex;
    const {data, chainId: of} = parseTransaction(transaction);
    if (data === `0x${digest}` && of === chainId) return transaction;
  } catch (cause) {
    throw new InputError({...wrong, rule: 'is not a signed transaction'}, {cause});
  }
  throw new InputError({...wrong, rule: 'is a transaction for another digest or chain'});
}

/** Sends the transaction until it is in a block, and returns the block. Throws if the chain shows that it will never be in one. */
async function blockOf(node: Node, transaction: Hex, stored: string, refused: Refused): Promise<bigint> {
  const hash = keccak256(transaction);
  const {nonce = 0} = parseTransaction(transaction);
  const fix = `Delete ${stored} to send another one.`;
  const from = await recoverTransactionAddress({serializedTransaction: transaction as `0x02${string}`});
  let [sentAt, isUsed] = [Number.NEGATIVE_INFINITY, false];
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const receipt = await receiptOf(node, hash);
    if (receipt?.status === 'success') return receipt.blockNumber;
    if (receipt) throw refused(`reverted transaction ${hash} in block ${receipt.blockNumber}`, fix);
    // The nonce was used before the receipt was requested, so another transaction used it.
    if (isUsed) throw refused(`reports another transaction with the nonce of ${hash}`, fix);
    isUsed = (await node.getTransactionCount({address: from, blockTag: 'latest'})) > nonce;
    if (!isUsed && Date.now() - sentAt > SEND_EVERY_MS) {
      sentAt = Date.now();
      await send(node, transaction);
    }
    await delay(ASK_EVERY_MS);
  }
  throw refused(`does not report a block with transaction ${hash} after ${PATIENCE_MS / 1000} s`, kept(hash, stored));
}

async function receiptOf(node: Node, hash: Hex): Promise<TransactionReceipt | undefined> {
  return node.getTransactionReceipt({hash}).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  });
}

async function send(node: Node, serializedTransaction: Hex): Promise<void> {
  await node.sendRawTransaction({serializedTransaction}).catch((error: unknown) => {
    if (!SENT_BEFORE.test(errorMessage(error))) throw error;
  });
}

function kept(hash: Hex, stored: string): string {
  return `Run the command again. ${hash} is stored in ${stored}, so the same transaction is looked up and sent again.`;
}
