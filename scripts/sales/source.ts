import {setImmediate} from 'node:timers/promises';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {Period} from './period.ts';

export interface SalesSource {
  /** The name for messages, without secrets. */
  readonly name: string;
  /** Yields the sales that started in a period, oldest first. Throws `InputError` or `SiteError`. */
  sales(period: Period): AsyncIterable<SaleRecord>;
  close(): Promise<void>;
}

/** The ledger in which a refund is recorded. */
export interface RefundLedger {
  paidBy(transaction: string): Promise<readonly SaleRecord[]>;
  withKey(key: string): Promise<SaleRecord | undefined>;
  /** Records a refund. Returns false if the sale has another refund, or the transaction refunds another sale. */
  refund(key: string, transaction: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Yields the items of all pages. Each page starts after the last item of the previous one; a short page is the last. */
export async function* inPages<T>(
  size: number,
  read: (after: T | undefined) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page: readonly T[] = [];
  do {
    page = await read(page.at(-1));
    yield* page;
    // SQLite answers synchronously. Its statements are freed only between two turns of the event loop.
    await setImmediate();
  } while (page.length === size);
}
