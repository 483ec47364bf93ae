import {html} from 'hono/html';
import {capitalised, englishCount, englishNumber} from '../../../shared/english.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import {ratioOf, shareOf, sum, type Chart} from '../../kinds/figures/counts.ts';
import {figureLabel, isNamedByUnit, unitOf} from '../../kinds/figures/labels.ts';
import type {Html} from '../html/layout.ts';
import {
  captionOf,
  chartInWords,
  changeOf,
  coordinate,
  figureWords,
  numberWords,
  paidContentWords,
  percentWords,
  shareChangeWords,
  shortLabel,
} from '../html/words.ts';
import {marks, numbersOf, trend} from './line.ts';

/** Returns the parts of a whole in one bar, with parts of the same colour together. */
function bar(chart: Chart): Html {
  const {total} = shareOf(chart);
  const percent = (n: number) => `${coordinate(total === 0 ? 0 : (n / total) * 100)}%`;
  const parts = swatchedParts({...chart, shape: 'bar'});
  const rects = [...new Set(parts.map(({swatch}) => swatch))].map(swatch => {
    const own = parts.filter(part => part.swatch === swatch);
    const width = percent(sum(own.map(({n}) => n)));
    return html`<rect class="${swatch}" x="${percent(own[0]?.before ?? 0)}" y="0" width="${width}" height="100%" />`;
  });
  return html`<svg class="bar" role="img" aria-label="${chartInWords(chart)}">${rects}</svg>`;
}

const MOST_DOTS = 50;
const DOTS_PER_ROW = 25;

/** Returns one dot per item or, for many items, fifty dots distributed over the parts. */
export function dots(chart: Chart): Html {
  const {total} = shareOf(chart);
  const parts = swatchedParts(chart);
  const drawn = Math.min(total, MOST_DOTS);
  const pitch = drawn > 10 ? 22 : 36;
  const [columns, rows] = [Math.min(drawn, DOTS_PER_ROW), Math.ceil(drawn / DOTS_PER_ROW)];
  const [width, height] = [columns, rows].map(number => Math.max(number, 1) * pitch);
  const all = Array.from({length: drawn}, (_, index) => {
    const x = ((index % DOTS_PER_ROW) + 0.5) * pitch;
    const y = (Math.floor(index / DOTS_PER_ROW) + 0.5) * pitch;
    const circle = html`<circle cx="${x}" cy="${y}" r="${Math.round(pitch * 0.36)}" />`;
    return {circle, place: ((index + 0.5) / drawn) * total};
  });
  const groups = parts.map(({swatch, before, n}) => {
    const own = all.filter(({place}) => place >= before && place < before + n);
    return html`<g class="${swatch}">${own.map(({circle}) => circle)}</g>`;
  });
  return html`<svg
      class="dots"
      role="img"
      aria-label="${chartInWords(chart)}"
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      height="${height}"
    >
      ${groups}
    </svg>
    ${total > MOST_DOTS && html`<p class="claim">Each dot is 2% of ${englishNumber(total)} ${chart.unit}.</p>`}`;
}

/** Returns the legend of the parts: colour, name, number and share. */
export function legend(chart: Chart, most: number): Html {
  const {total} = shareOf(chart);
  const parts = swatchedParts(chart);
  const items = parts.slice(0, most).map(
    ({label, n, swatch}) =>
      html`<li>
        ${legendMark(chart, swatch)} <span>${shortLabel(label)}</span> <b>${numberWords(chart, n)}</b>
        ${chart.claim !== undefined && html`<span class="soft">${percentWords(ratioOf(n, total))}</span>`}
      </li> `,
  );
  const more = parts.length - items.length;
  return html`${folded(
    items,
    shown =>
      html`<ul class="legend">
        ${shown}
      </ul>`,
    'classes',
  )}
  ${more > 0 && html`<p class="claim">${englishNumber(more)} more in the free sample.</p>`}`;
}

function legendMark({shape}: Chart, swatch: string): Html {
  const drawn = shape === 'dots' ? html`<circle class="${swatch}" />` : html`<rect class="${swatch}" />`;
  return html`<svg aria-hidden="true">${drawn}</svg>`;
}

/** The number of distinguishable greys. All further parts have the last one. */
const GREYS = 4;

/**
 * The parts of a chart, claimed parts first, each with its style class and the number before it. Claimed parts are coloured, the others are
 * grey. The legend has the same order.
 */
function swatchedParts({shape, parts}: Chart) {
  const claimed = parts.filter(part => part.claimed);
  const others = parts.filter(part => !part.claimed);
  const grey = (rank: number) => (shape === 'dots' ? 'other' : `part-${Math.min(rank + 1, GREYS)}`);
  let before = 0;
  return [
    ...claimed.map((part, rank) => ({...part, swatch: rank === 0 ? 'claimed' : 'claimed-too'})),
    ...others.map((part, rank) => ({...part, swatch: grey(rank)})),
  ].map(part => {
    before += part.n;
    return {...part, before: before - part.n};
  });
}

/** The number of list items that are always visible. */
const VISIBLE = 8;

/** Returns a list with its first items visible and the others after a click. */
export function folded(items: readonly Html[], list: (items: readonly Html[]) => Html, noun: string): Html {
  // Hiding a single item would save no space.
  if (items.length <= VISIBLE + 1) return list(items);
  const hidden = items.slice(VISIBLE);
  return html`${list(items.slice(0, VISIBLE))}
    <details>
      <summary>${englishNumber(hidden.length)} more ${noun}</summary>
      ${list(hidden)}
    </details>`;
}

/** The most characters of a label that is part of a headline. */
const MOST_HEADLINE = 20;

/** The figure that represents a product. */
interface Highlight {
  readonly headline: string;
  /** The names of the figures that it shows. */
  readonly figures: readonly string[];
  /** A sentence or label that explains the headline. */
  readonly claim?: string;
  readonly drawing?: Html | undefined;
  /** The change since the previous snapshot, if there is one. */
  readonly change?: string | undefined;
}

/** Returns the share or the count of the product's chart. Without a chart, returns the first figure that is not the size of the list. */
export function highlightOf({title, published, history, words, paidContent, pass}: UnpagedRecord): Highlight {
  const {chart, figures, summary} = published;
  // The number of documents in a bundle says nothing about a change of the documents.
  if (paidContent.holds)
    return {
      headline: pass ? englishCount(pass.next + 1, 'snapshot') : paidContentWords(paidContent),
      figures: Object.keys(figures),
      claim: capitalised(summary),
      drawing: chart && bar(chart),
    };
  if (chart) {
    const before = history.at(-2)?.chart;
    const isComparable = chart.claim !== undefined && before?.claim === chart.claim;
    return {
      figures: chart.draws ?? Object.keys(figures),
      ...(chart.claim === undefined
        ? {headline: captionOf(chart)}
        : {headline: percentWords(shareOf(chart).ratio), claim: captionOf(chart)}),
      drawing: chart.claim === undefined ? dots(chart) : bar(chart),
      change: isComparable ? shareChangeWords(shareOf(before).ratio, shareOf(chart).ratio) : undefined,
    };
  }
  const shown = Object.entries(figures).filter(([, value]) => typeof value !== 'object');
  // The size of the list represents a product only without other figures.
  const isSize = (name: string) => name === 'rows_n' || name === 'total';
  const [figure, value] = shown.find(([name]) => !isSize(name)) ?? shown[0] ?? [];
  if (figure === undefined)
    return {
      headline: paidContentWords(paidContent),
      figures: [],
      claim: title,
      drawing: marks(history, ({figures}) => figures),
    };
  const label = figureLabel(words, figure);
  const unit = unitOf(words, figure);
  const isNamed = label === unit || (isSize(figure) && isNamedByUnit(words, figure));
  const isShortCount = figure.endsWith('_n') && unit === undefined && label.length <= MOST_HEADLINE;
  return {
    figures: [figure],
    ...(isShortCount
      ? {
          headline: `${figureWords(words, figure, value)} ${label}`,
          ...(shown.length > 1 && {claim: capitalised(summary)}),
        }
      : {headline: figureWords(words, figure, value), ...(!isNamed && {claim: capitalised(label)})}),
    drawing:
      trend(capitalised(label), numbersOf(history, words, figure)) ?? marks(history, ({figures}) => figures[figure]),
    change: changeOf(figure, history.at(-2)?.figures[figure], value),
  };
}
