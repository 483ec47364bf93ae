/** Milliseconds by which two clocks may differ. It is less than the slack that payments get, and more than an answer may take. */
export const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Milliseconds by which our clock is ahead of a server's clock, according to the header `Date` of its answer (RFC 9110, section 6.6.1).
 * Returns 0 if the server sends no date.
 */
export function clockAhead(headers: Pick<Headers, 'get'>, now: number): number {
  // A cache keeps the date of its copy, and reports the age of the copy.
  const date = Date.parse(headers.get('Date') ?? '') + 1000 * (Number(headers.get('Age')) || 0);
  return Number.isNaN(date) ? 0 : now - date;
}
