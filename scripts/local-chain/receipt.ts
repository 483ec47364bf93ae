import {setTimeout as delay} from 'node:timers/promises';
import {TransactionReceiptNotFoundError, type Hash, type TransactionReceipt} from 'viem';

const ASK_EVERY_MS = 10;
const PATIENCE_MS = 10_000;

/** What can be asked for a receipt: any viem client of the chain. */
interface Reader {
  getTransactionReceipt(query: {hash: Hash}): Promise<TransactionReceipt>;
}

/**
 * Waits for the receipt of a transaction. Not viem's own wait, which asks again when there is a new block: Anvil makes
 * one only when it is sent something, so a receipt that is a moment late would never be asked for again.
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
