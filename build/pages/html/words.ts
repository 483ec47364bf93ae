import type {Point} from '../../documents/publication.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Site} from '../../read/site.ts';

const numbers = new Intl.NumberFormat('en-GB');
const percents = new Intl.NumberFormat('en-GB', {style: 'percent', maximumFractionDigits: 1});
const points = new Intl.NumberFormat('en-GB', {maximumFractionDigits: 1, signDisplay: 'exceptZero'});
const dates = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'});

// The locale and the time zone are given, and months are spelled out, so that every machine writes the same.

/** `10,000` */
export const numberWords = (number: number): string => numbers.format(number);

/** `30.8%` of 0.3077 */
export const percentWords = (ratio: number): string => percents.format(ratio);

/** `−4` of -0.04: a change of a share in percentage points */
export const pointWords = (change: number): string => points.format(change * 100).replace('-', '−');

/** `1 May 2026`, of a moment in UTC */
export const dateWords = (moment: string): string => dates.format(new Date(moment));

/** `12:00 UTC`, of a moment in UTC as the documents write it */
export const timeWords = (moment: string): string => `${moment.slice('YYYY-MM-DDT'.length, -':ss.sssZ'.length)} UTC`;

/** A coordinate with three decimals at most. */
export const coordinate = (number: number): string => String(Number(number.toFixed(3)));

/** The text as the start of a sentence. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What the site offers, in words for people. */
export function describe({description}: Site): string {
  return description ?? 'Small dated JSON documents: a free sample of each, and the whole for a few cents.';
}

/** `8 of 26 rows are classed soft_fail`, or `3 signed events` where no share is claimed. */
export function captionOf(picture: Picture): string {
  const {n, total} = shareOf(picture);
  if (picture.claim === undefined) return `${numberWords(total)} ${picture.unit}`;
  return `${numberWords(n)} of ${numberWords(total)} ${picture.unit} ${picture.claim}`;
}

/** The one number of a picture: a share, or how many where no share is claimed. */
export function headlineOf(picture: Picture): string {
  const {total, ratio} = shareOf(picture);
  return picture.claim === undefined ? numberWords(total) : percentWords(ratio);
}

/** Every part with its number, as a sentence for those who do not see the picture. */
export function partsInWords({parts}: Picture): string {
  return `${parts.map(({label, n}) => `${label}: ${numberWords(n)}`).join(', ')}.`;
}

/** A product in one line: its caption, or its figures where no picture is drawn of them. */
export function summaryOf({picture, figures}: Point): string {
  if (picture) return captionOf(picture);
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${figureWords(value)}`)
    .join(', ');
}

/** A figure as people read it; texts as they are. */
export function figureWords(value: unknown): string {
  if (typeof value === 'number') return numberWords(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
