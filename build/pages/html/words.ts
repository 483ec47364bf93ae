const numbers = new Intl.NumberFormat('en-GB');
const percents = new Intl.NumberFormat('en-GB', {style: 'percent', maximumFractionDigits: 1});
const points = new Intl.NumberFormat('en-GB', {maximumFractionDigits: 1, signDisplay: 'exceptZero'});
const dates = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'});

// The locale and the time zone are given, and months are spelled out, so that every machine writes the same.

/** `10,000` */
export function numberWords(number: number): string {
  return numbers.format(number);
}

/** `30.8%` of 0.3077 */
export function percentWords(ratio: number): string {
  return percents.format(ratio);
}

/** `−4` of -0.04: a change of a share in percentage points */
export function pointWords(change: number): string {
  return points.format(change * 100).replace('-', '−');
}

/** `1 May 2026`, of a moment in UTC */
export function dateWords(moment: string): string {
  return dates.format(new Date(moment));
}

/** `12:00 UTC`, of a moment in UTC as the documents write it */
export function timeWords(moment: string): string {
  return `${moment.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDThh:mm'.length)} UTC`;
}

/** The text as the start of a sentence. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
