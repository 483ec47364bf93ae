import type {Point} from '../../documents/publication.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import {numberWords, percentWords} from '../html/words.ts';

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
