import {html} from 'hono/html';
import {shareOf} from '../../kinds/figures/counts.ts';
import type {Words} from '../../kinds/figures/labels.ts';
import type {Point} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {coordinate, dateWords, figureWords, percentWords} from '../html/words.ts';

const TOP = 34;
const BASELINE = 148;
const LABELS = 172;
/** Space for half a label on both sides, in percent. */
const MARGIN = 8;
const CEILINGS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1];
/** The least distance of points, in percent, at which each has a label. */
const APART = 18;

/**
 * Returns a chart of the share at each freeze, with the first and last date. x is in percent and y in pixels, so that text has the same
 * size on every screen. Undefined if there is only one freeze.
 */
export function line(history: readonly Point[], most: number): Html | undefined {
  const points = pointsOf(history, most);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first === last) return undefined;
  const isRoomy = points.slice(1).every(({x}, index) => x - (points[index]?.x ?? x) >= APART);
  const labelled = isRoomy ? points : [first, last];
  const inWords = points.map(({as_of, ratio}) => `${percentWords(ratio)} on ${dateWords(as_of)}`);
  return html`<svg class="line" role="img" aria-label="${inWords.join(', ')}">
    <line class="axis" x1="0" x2="100%" y1="${BASELINE}" y2="${BASELINE}" />
    ${points.slice(1).map((point, index) => segment(points[index] ?? point, point))}
    ${labelled.map(point => pointMark(point, point === last))} ${labelled.map(share)}
    <text text-anchor="start" x="0" y="${LABELS}">${dateWords(first.as_of)}</text>
    <text text-anchor="end" x="100%" y="${LABELS}">${dateWords(last.as_of)}</text>
  </svg>`;
}

type ChartPoint = ReturnType<typeof pointsOf>[number];

/** The shares with their positions: x in percent of the width, y in pixels. */
function pointsOf(history: readonly Point[], most: number) {
  const claim = history.at(-1)?.chart?.claim;
  const all = history.flatMap(({as_of, chart}) =>
    claim === undefined || chart?.claim !== claim
      ? []
      : [{as_of, ratio: shareOf(chart).ratio, time: Date.parse(as_of)}],
  );
  const shares = thinned(all, most);
  const [start = 0, end = 0] = [shares[0]?.time, shares.at(-1)?.time];
  const ceiling = CEILINGS.find(most => shares.every(({ratio}) => ratio <= most)) ?? 1;
  return shares.map(({as_of, ratio, time}) => {
    const x = MARGIN + (100 - 2 * MARGIN) * ((time - start) / Math.max(end - start, 1));
    return {as_of, ratio, x, y: BASELINE - (BASELINE - TOP) * (ratio / ceiling)};
  });
}

function segment(from: ChartPoint, to: ChartPoint): Html {
  const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map(coordinate);
  return html`<line class="path" x1="${x1}%" y1="${y1}" x2="${x2}%" y2="${y2}" />`;
}

function pointMark({x, y}: ChartPoint, isNow: boolean): Html {
  return html`<circle class="${isNow ? 'now' : 'then'}" cx="${coordinate(x)}%" cy="${coordinate(y)}" r="5" />`;
}

function share({ratio, x, y}: ChartPoint): Html {
  return html`<text class="value" text-anchor="middle" x="${coordinate(x)}%" y="${coordinate(y - 14)}">
    ${percentWords(ratio)}
  </text>`;
}

/** Returns at most `most` points (at least 2): the first, the last, and evenly spaced ones between them. */
function thinned<T>(points: readonly T[], most: number): readonly T[] {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({length: most}, (_, index) => points[Math.round(index * step)] as T);
}

/** The small chart in pixels. The margin is for the last dot. */
const TREND = {width: 120, height: 32, margin: 5};
const MOST_POINTS = 16;

/** Returns the snapshots at which a figure is a number, with the number and its text, oldest first. Empty if the newest one is not a number. */
export function numbersOf(history: readonly Point[], words: Words, figure: string) {
  // A long integer or an exact decimal is a text.
  if (typeof history.at(-1)?.figures[figure] !== 'number') return [];
  return history.flatMap(({as_of, figures: {[figure]: value}}) =>
    typeof value === 'number' ? [{as_of, value, words: figureWords(words, figure, value)}] : [],
  );
}

/** Returns a small chart of a figure over time, with a line at zero. A single number is drawn from there. Undefined without a number. */
export function trend(name: string, all: ReturnType<typeof numbersOf>): Html | undefined {
  const numbers = thinned(all, MOST_POINTS);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (!first || !last) return undefined;
  const {width, height, margin} = TREND;
  const values = numbers.map(({value}) => value);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const x = acrossTime(first.as_of, last.as_of);
  const y = (value: number) =>
    height - margin - (height - 2 * margin) * ((value - least) / Math.max(most - least, Number.MIN_VALUE));
  const from = first === last ? [{...first, value: 0}] : [];
  const points = [...from, ...numbers].map(({as_of, value}) => [x(as_of), y(value)].map(coordinate).join());
  const inWords = numbers.map(({as_of, words}) => `${words} on ${dateWords(as_of)}`).join(', ');
  const [zero, lastX, lastY] = [y(0), x(last.as_of), y(last.value)].map(coordinate);
  return html`<svg class="spark" role="img" aria-label="${name}: ${inWords}" viewBox="0 0 ${width} ${height}">
    <line x1="0" x2="${width}" y1="${zero}" y2="${zero}" />
    <polyline points="${points.join(' ')}" />
    <circle cx="${lastX}" cy="${lastY}" r="3.5" />
  </svg>`;
}

/** Returns a small chart of the snapshots of a value that is not a number: a dot for each, filled if the value differs from the last one. */
export function marks(history: readonly Point[], valueOf: (point: Point) => unknown): Html {
  const {width, height} = TREND;
  const values = history.map(point => JSON.stringify(valueOf(point)));
  const points = history
    .map(({as_of}, index) => ({as_of, isNew: values[index] !== values[index - 1]}))
    .slice(-MOST_POINTS);
  const x = acrossTime(points[0]?.as_of ?? '', points.at(-1)?.as_of ?? '');
  const inWords = points.map(({as_of, isNew}) => `${isNew ? 'new' : 'unchanged'} on ${dateWords(as_of)}`).join(', ');
  return html`<svg class="spark" role="img" aria-label="Snapshots: ${inWords}" viewBox="0 0 ${width} ${height}">
    <line x1="0" x2="${width}" y1="${height / 2}" y2="${height / 2}" />
    ${points.map(({as_of, isNew}) => html`<circle class="${isNew ? 'now' : 'then'}" cx="${coordinate(x(as_of))}" cy="${height / 2}" r="3.5" />`)}
  </svg>`;
}

/** Returns a function from a time to its horizontal position in the small chart. */
function acrossTime(first: string, last: string): (as_of: string) => number {
  const {width, margin} = TREND;
  const [start, end] = [Date.parse(first), Date.parse(last)];
  return as_of => margin + (width - 2 * margin) * ((Date.parse(as_of) - start) / Math.max(end - start, 1));
}
