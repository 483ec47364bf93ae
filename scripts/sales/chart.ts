import {html} from 'hono/html';
import type {Html} from '../../build/pages/html/layout.ts';
import {coordinate} from '../../build/pages/html/words.ts';
import {amountWords} from './money.ts';
import {netOf, type Line} from './totals.ts';

// Pixels up, percent across, as the line of the shop window is drawn: letters keep their size on every screen.
const TOP = 34;
const BASELINE = 148;
const LABELS = 172;
const DAY_MS = 24 * 3_600_000;
/** Bars of more days would be too thin to see. */
const MOST_DAYS = 92;
/** Of the room that a bar has. */
const WIDTH = 0.8;

interface Bar {
  /** `2026-05-01`, or `2026-05` of a month. */
  readonly name: string;
  readonly net: bigint;
}

/** The income of each day, or of each month where there are many days. In one currency, days in their order. */
export function incomeChart(days: readonly Line[], id: string): Html | undefined {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return undefined;
  const isDaily = 1 + (Date.parse(last.name) - Date.parse(first.name)) / DAY_MS <= MOST_DAYS;
  const bars = isDaily ? everyDay(days, first.name, last.name) : everyMonth(days, first.name, last.name);
  const best = bars.reduce((most, bar) => (bar.net > most.net ? bar : most));
  const words = ({name, net}: Bar) => `${name}: ${amountWords(net, first.currency)}`;
  const title = `Income a ${isDaily ? 'day' : 'month'}`;
  return html`<figure class="card">
    <figcaption>
      <h3>${title}</h3>
      <p class="headline">${amountWords(best.net, first.currency)}</p>
      <p class="claim">at most, ${isDaily ? 'on' : 'in'} ${best.name}</p>
    </figcaption>
    <svg class="line" role="img" aria-labelledby="${id}-title ${id}-desc">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">
        ${bars
          .filter(({net}) => net > 0n)
          .map(words)
          .join(', ')}.
      </desc>
      ${bars.map((bar, index) => rect(bar, index, bars.length, best.net))}
      <line class="axis" x1="0" x2="100%" y1="${BASELINE}" y2="${BASELINE}" />
      <text text-anchor="start" x="0" y="${LABELS}">${bars[0]?.name}</text>
      ${bars.length > 1 && html`<text text-anchor="end" x="100%" y="${LABELS}">${bars.at(-1)?.name}</text>`}
    </svg>
  </figure>`;
}

function rect({net}: Bar, index: number, count: number, best: bigint): Html | undefined {
  if (net === 0n) return undefined;
  const room = 100 / count;
  const height = Math.max(Number((net * 1000n) / best) / 1000, 0.01) * (BASELINE - TOP);
  const [x, width] = [room * (index + (1 - WIDTH) / 2), room * WIDTH].map(coordinate);
  return html`<rect
    class="claimed"
    x="${x}%"
    width="${width}%"
    y="${coordinate(BASELINE - height)}"
    height="${coordinate(height)}"
  />`;
}

function everyDay(days: readonly Line[], first: string, last: string): Bar[] {
  const bars: Bar[] = [];
  const nets = new Map(days.map(line => [line.name, netOf(line)]));
  for (let day = Date.parse(first); day <= Date.parse(last); day += DAY_MS) {
    const name = new Date(day).toISOString().slice(0, 'YYYY-MM-DD'.length);
    bars.push({name, net: nets.get(name) ?? 0n});
  }
  return bars;
}

function everyMonth(days: readonly Line[], first: string, last: string): Bar[] {
  const monthOf = (day: string) => day.slice(0, 'YYYY-MM'.length);
  const nets = new Map<string, bigint>();
  for (const line of days) nets.set(monthOf(line.name), (nets.get(monthOf(line.name)) ?? 0n) + netOf(line));
  const bars: Bar[] = [];
  for (const month = new Date(monthOf(first)); ; month.setUTCMonth(month.getUTCMonth() + 1)) {
    const name = month.toISOString().slice(0, 'YYYY-MM'.length);
    bars.push({name, net: nets.get(name) ?? 0n});
    if (name === monthOf(last)) return bars;
  }
}
