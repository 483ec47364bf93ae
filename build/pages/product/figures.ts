import {html} from 'hono/html';
import {capitalised, englishNumber} from '../../../shared/english.ts';
import {ratioOf, shareOf, type ChartGroups} from '../../kinds/figures/counts.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import {figureLabel, type Words} from '../../kinds/figures/labels.ts';
import {type Html, date, table} from '../html/layout.ts';
import {figureWords, percentWords, shareChangeWords, shortLabel, changeWords} from '../html/words.ts';
import {dots, folded, highlightOf, legend} from './shapes.ts';
import {line, numbersOf, trend} from './line.ts';
import type {Extent} from './product-page.ts';

type History = UnpagedRecord['history'];

/** Returns the main figure of a snapshot, and the parts of its whole. */
export function highlight(product: UnpagedRecord, {items}: Extent): Html {
  const {chart} = product.published;
  const {headline, claim, drawing, change} = highlightOf(product);
  const before = product.history.at(-2);
  const drawn = chart?.shape === 'dots' ? dots(chart) : drawing;
  return html`<figure class="card highlight">
    <figcaption>
      <p class="headline">${headline}</p>
      ${claim !== undefined && html`<p class="claim">${claim}</p>`}
      ${!chart && change !== undefined && before && html`<p class="claim">${capitalised(change)} since ${date(before.as_of)}</p>`}
    </figcaption>
    <div>${drawn} ${chart && legend(chart, items)}</div>
  </figure>`;
}

/** Returns the share over time and by group, and the figures that the highlight does not show. */
export function figures(product: UnpagedRecord, {items, points}: Extent): Html | undefined {
  const {published, history} = product;
  const groups = published.chart?.groups;
  const cards = [overTime(history, points), groups && byGroup(groups, items), otherFigures(product, items)];
  return cards.some(card => card !== undefined) ? html`<div class="figures">${cards}</div>` : undefined;
}

function overTime(history: History, most: number): Html | undefined {
  const [before, last] = history.slice(-2);
  const drawn = line(history, most);
  if (!drawn || !before?.chart || !last?.chart || before.chart.claim !== last.chart.claim) return undefined;
  return html`<figure class="card over-time">
    <figcaption>
      <h2>Over ${history.length} snapshots</h2>
      <p class="claim">
        ${capitalised(shareChangeWords(shareOf(before.chart).ratio, shareOf(last.chart).ratio))} since
        ${date(before.as_of)}
      </p>
    </figcaption>
    ${drawn}
  </figure>`;
}

function byGroup({by, items}: ChartGroups, most: number): Html {
  const rows = items.slice(0, most).map(
    ({label, n, total}) =>
      html`<div>
        <dt>${shortLabel(label)}</dt>
        <dd>
          <span class="soft">${englishNumber(n)} of ${englishNumber(total)}</span>
          <b>${percentWords(ratioOf(n, total))}</b>
        </dd>
      </div> `,
  );
  const more = items.length - rows.length;
  return html`<section class="card">
    <h2>By ${by}</h2>
    ${folded(rows, shown => html`<dl class="values">${shown}</dl>`, 'groups')}
    ${more > 0 && html`<p class="claim">${englishNumber(more)} more in the free sample.</p>`}
  </section>`;
}

/** The figures that the highlight does not show, each with its history. */
function otherFigures(product: UnpagedRecord, most: number): Html | undefined {
  const {history, words, published} = product;
  const {figures: highlighted} = highlightOf(product);
  const others = Object.entries(published.figures).filter(([name]) => !highlighted.includes(name));
  if (others.length === 0) return undefined;
  const [first, ...later] = history;
  const since = later.length > 0 && first && html` <span class="soft">since ${date(first.as_of)}</span>`;
  return html`<section class="card">
    <h2>Other figures${since}</h2>
    <dl class="values">${others.slice(0, most).map(([name, value]) => item(name, value, history, words))}</dl>
    ${others.length > most && html`<p class="claim">${englishNumber(others.length - most)} more in the free sample.</p>`}
  </section>`;
}

function item(name: string, value: unknown, history: History, words: Words): Html {
  const label = capitalised(figureLabel(words, name));
  const numbers = numbersOf(history, words, name);
  return html`<div>
    <dt>${label}</dt>
    <dd>${numbers.length > 1 && trend(label, numbers)} <b>${figureWords(words, name, value)}</b></dd>
  </div> `;
}

/** The most columns of the table of changes. */
const MOST_CHANGES = 8;

/** Returns the changes of every number between snapshots, if there are at least three. */
export function changes(
  {title, history, words, published: {chart}, paidContent}: UnpagedRecord,
  most: number,
): Html | undefined {
  if (paidContent.holds) return undefined;
  // A chart that draws all figures has its own chart over time.
  if (chart && !chart.draws) return undefined;
  const names = Object.keys(history.at(-1)?.figures ?? {}).filter(name => numberAt(history, -1, name) !== undefined);
  if (history.length < 3 || names.length === 0) return undefined;
  const steps = history
    .map((_, index) => index)
    .slice(1)
    .slice(-MOST_CHANGES);
  const row = (name: string) =>
    html`<tr>
      <th scope="row">${capitalised(figureLabel(words, name))}</th>
      ${steps.map(step => changeCell(name, numberAt(history, step - 1, name), numberAt(history, step, name)))}
    </tr> `;
  return html`<section class="card paper">
    <div class="paper-head"><h2>Changes by snapshot</h2></div>
    ${table(
      `Changes of ${title}`,
      html`<td></td>
        ${steps.map(step => html`<th scope="col">${date(history[step]?.as_of ?? '')}</th>`)}`,
      names.slice(0, most).map(row),
      html` class="changes"`,
    )}
  </section>`;
}

function numberAt(history: History, index: number, name: string): number | undefined {
  const figure = history.at(index)?.figures[name];
  return typeof figure === 'number' ? figure : undefined;
}

/** Sign and arrow repeat the colour, for readers who cannot see it. */
function changeCell(name: string, before: number | undefined, after: number | undefined): Html {
  if (before === undefined || after === undefined) return html`<td></td>`;
  if (before === after) return html`<td class="number">=</td>`;
  const [way, arrow] = after > before ? ['up', '▲'] : ['down', '▼'];
  return html`<td class="number ${way}">${arrow} ${changeWords(name, before, after)}</td>`;
}
