import {setImmediate} from 'node:timers/promises';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {Period} from './period.ts';

/** Where sales are read from. */
export interface SalesSource {
  /** For people: without what may be secret. */
  readonly name: string;
  /** The sales that began in a period, oldest first, read as they are asked for. Throws `InputError` or `SiteError`. */
  sales(period: Period): AsyncIterable<SaleRecord>;
  close(): Promise<void>;
}

/** The books that a refund is noted in. */
export interface RefundBooks {
  /** The sales that this transaction has paid. */
  paidBy(transaction: string): Promise<readonly SaleRecord[]>;
  /** The sale that has this key. */
  withKey(key: string): Promise<SaleRecord | undefined>;
  /** Notes a refund; false where another one is noted already, or this one of another sale. */
  refund(key: string, transaction: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Reads pages until one is short. Each begins behind the last sale of the one before. */
export async function* inPages<T>(
  size: number,
  read: (after: T | undefined) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page: readonly T[] = [];
  do {
    page = await read(page.at(-1));
    yield* page;
    // SQLite answers at once; what each statement holds is let go between two turns of the event loop.
    await setImmediate();
  } while (page.length === size);
}
