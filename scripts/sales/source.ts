import {setImmediate} from 'node:timers/promises';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';

export const DIMENSIONS = ['product', 'day', 'network', 'buyer'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

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

/** A period, in milliseconds since 1970. Both ends may be open. */
export interface Period {
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
}

const DATE_OR_TIME = /^(?<day>\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a date, which means its start in UTC, or a time such as `2026-05-01T12:00:00Z`, to milliseconds since 1970. Throws if it is
 * neither.
 */
export function parseTime(text: string): number {
  const day = DATE_OR_TIME.exec(text)?.groups?.['day'];
  const time = Date.parse(text);
  // `Date.parse` reads 30 February as 2 March.
  if (day === undefined || Number.isNaN(time) || dayOf(Date.parse(day)) !== day)
    throw new Error('Expected a date, such as 2026-05-01, or a time, such as 2026-05-01T12:00:00Z.');
  return time;
}

/** Returns the date in UTC, `2026-05-01`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
