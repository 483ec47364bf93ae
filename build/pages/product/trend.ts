import {html} from 'hono/html';
import type {Html} from '../html/layout.ts';
import {coordinate, dateWords} from '../html/words.ts';
import {thinned} from './thinned.ts';

/** A number at a moment, and how it reads. */
export interface Measured {
  readonly as_of: string;
  readonly value: number;
  readonly words: string;
}

/** With room for the last dot on all sides. */
const WIDTH = 120;
const HEIGHT = 32;
const MARGIN = 5;
const MOST_POINTS = 16;

/** How a figure went over time, as far apart as the snapshots were, drawn up from a line at zero; none of one snapshot alone. */
export function trend(name: string, all: readonly Measured[]): Html | undefined {
  const numbers = thinned(all, MOST_POINTS);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (!first || !last || first === last) return undefined;
  const values = numbers.map(({value}) => value);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const [start, end] = [Date.parse(first.as_of), Date.parse(last.as_of)];
  const x = (as_of: string) => MARGIN + (WIDTH - 2 * MARGIN) * ((Date.parse(as_of) - start) / Math.max(end - start, 1));
  const y = (value: number) =>
    HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * ((value - least) / Math.max(most - least, Number.MIN_VALUE));
  const points = numbers.map(({as_of, value}) => [x(as_of), y(value)].map(coordinate).join());
  const inWords = numbers.map(({as_of, words}) => `${words} on ${dateWords(as_of)}`).join(', ');
  const [zero, lastX, lastY] = [y(0), x(last.as_of), y(last.value)].map(coordinate);
  return html`<svg class="spark" role="img" aria-label="${name}: ${inWords}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
    <line x1="0" x2="${WIDTH}" y1="${zero}" y2="${zero}" />
    <polyline points="${points.join(' ')}" />
    <circle cx="${lastX}" cy="${lastY}" r="3.5" />
  </svg>`;
}
