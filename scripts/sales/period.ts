/** A period, in milliseconds since 1970. Both ends may be open. */
export interface Period {
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
}

const MOMENT = /^(?<day>\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a date, which means its start in UTC, or a time such as `2026-05-01T12:00:00Z`, to milliseconds since 1970. Throws if it is
 * neither.
 */
export function momentOf(text: string): number {
  const day = MOMENT.exec(text)?.groups?.['day'];
  const moment = Date.parse(text);
  // `Date.parse` reads 30 February as 2 March.
  if (day === undefined || Number.isNaN(moment) || dayOf(Date.parse(day)) !== day)
    throw new Error('It is neither a date, such as 2026-05-01, nor a moment, such as 2026-05-01T12:00:00Z.');
  return moment;
}

/** Returns the date in UTC, `2026-05-01`. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
