import {html} from 'hono/html';
import type {Html} from '../html/layout.ts';
import {numberWords} from '../html/words.ts';
import {coordinate} from './coordinate.ts';

const WIDTH = 96;
const HEIGHT = 26;
/** Room for the last dot. */
const MARGIN = 5;

/** How a number went from snapshot to snapshot, from its least to its most, as small as a word. */
export function sparkline(name: string, numbers: readonly number[]): Html | undefined {
  if (numbers.length < 2) return undefined;
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const points = numbers.map((number, index) => ({
    x: MARGIN + ((WIDTH - 2 * MARGIN) * index) / (numbers.length - 1),
    y: HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (least === most ? 0.5 : (number - least) / (most - least)),
  }));
  const [last = {x: 0, y: 0}] = points.slice(-1);
  const way = points.map(({x, y}) => `${coordinate(x)},${coordinate(y)}`).join(' ');
  return html`<svg class="spark" role="img" aria-label="${inWords(name, numbers)}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
    <polyline points="${way}" />
    <circle cx="${coordinate(last.x)}" cy="${coordinate(last.y)}" r="3.5" />
  </svg>`;
}

function inWords(name: string, numbers: readonly number[]): string {
  return `${name} over ${numbers.length} snapshots: ${numbers.map(numberWords).join(', ')}`;
}
