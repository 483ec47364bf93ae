import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';
import type {Period} from '../kinds/kind.ts';

dayjs.extend(utc);

/**
 * The moment, in UTC, at which a newer snapshot is due: `as_of` and a period of the calendar. Where a month has no such day, its last:
 * a month after 31 January is 28 or 29 February.
 */
export function nextExpected(as_of: string, every: Period): string {
  const [count, unit] = every === 'quarter' ? ([3, 'month'] as const) : ([1, every] as const);
  return dayjs.utc(as_of).add(count, unit).toISOString();
}
