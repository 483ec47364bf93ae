/** True of a moment in UTC with milliseconds that exists, e.g. `2026-05-01T00:00:00.000Z` (specification, `as_of`). */
export function isTimestamp(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.valueOf()) && date.toISOString() === text;
}

/** True of a moment in UTC that exists, with or without parts of a second, e.g. `2026-05-01T09:30:00Z`. */
export function isMoment(text: string): boolean {
  const [, seconds] = /^(.{19})(?:\.\d+)?Z$/.exec(text) ?? [];
  return seconds !== undefined && isTimestamp(`${seconds}.000Z`);
}

/** Whole hours from one moment to a later one, rounded down. */
export function hoursBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 3_600_000);
}
