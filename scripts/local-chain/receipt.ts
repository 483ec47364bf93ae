import {TransactionReceiptNotFoundError, withRetry, type Hash, type TransactionReceipt} from 'viem';

const ASK_EVERY_MS = 10;
const ATTEMPTS = 1_000;

/** Any viem client of the chain. */
interface Reader {
  getTransactionReceipt(query: {hash: Hash}): Promise<TransactionReceipt>;
}

/**
 * Waits for the receipt of a transaction by polling. viem waits for new blocks, but Anvil creates a block only for a transaction, so a late
 * receipt would never be found.
 */
export function receiptOf(reader: Reader, hash: Hash): Promise<TransactionReceipt> {
  return withRetry(() => reader.getTransactionReceipt({hash}), {
    delay: ASK_EVERY_MS,
    retryCount: ATTEMPTS,
    shouldRetry: ({error}) => error instanceof TransactionReceiptNotFoundError,
  });
}
