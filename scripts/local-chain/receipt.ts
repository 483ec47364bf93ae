import {setTimeout as delay} from 'node:timers/promises';
import {TransactionReceiptNotFoundError, type Hash, type TransactionReceipt} from 'viem';

const ASK_EVERY_MS = 10;
const PATIENCE_MS = 10_000;

/** Any viem client of the chain. */
interface Reader {
  getTransactionReceipt(query: {hash: Hash}): Promise<TransactionReceipt>;
}

/**
 * Waits for the receipt of a transaction by polling. viem waits for new blocks, but Anvil creates a block only for a transaction, so a late
 * receipt would never be found.
 */
export async function receiptOf(reader: Reader, hash: Hash): Promise<TransactionReceipt> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await reader.getTransactionReceipt({hash});
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || Date.now() > end) throw error;
    }
    await delay(ASK_EVERY_MS);
  }
}
