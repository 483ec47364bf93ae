import {html} from 'hono/html';
import type {UnpagedRecord} from '../../documents/record.ts';
import {figureLabel} from '../../kinds/figures/labels.ts';
import type {Html} from '../html/layout.ts';
import {date} from '../html/moment.ts';
import {capitalised, changeWords} from '../html/words.ts';

type History = UnpagedRecord['history'];

/** Columns: the last changes. */
const MOST_CHANGES = 8;

/** How every number changed from each snapshot to the next, from the third snapshot on. */
export function changes(
  {title, history, words = {}, published: {picture}}: UnpagedRecord,
  most: number,
): Html | undefined {
  // A picture that draws all figures has its own chart over time.
  if (picture && !picture.draws) return undefined;
  const names = Object.keys(history.at(-1)?.figures ?? {}).filter(name => numberAt(history, -1, name) !== undefined);
  if (history.length < 3 || names.length === 0) return undefined;
  const steps = history
    .map((_, index) => index)
    .slice(1)
    .slice(-MOST_CHANGES);
  const row = (name: string) =>
    html`<tr>
      <th scope="row">${capitalised(figureLabel(words, name))}</th>
      ${steps.map(step => cell(name, numberAt(history, step - 1, name), numberAt(history, step, name)))}
    </tr> `;
  return html`<section class="card paper">
    <div class="paper-head"><h2>Changes by snapshot</h2></div>
    <div class="table" tabindex="0" role="region" aria-label="Changes of ${title}">
      <table class="changes">
        <thead>
          <tr>
            <td></td>
            ${steps.map(step => html`<th scope="col">${date(history[step]?.as_of ?? '')}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${names.slice(0, most).map(row)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function numberAt(history: History, index: number, name: string): number | undefined {
  const figure = history.at(index)?.figures[name];
  return typeof figure === 'number' ? figure : undefined;
}

/** The sign and the arrow say the same as the colour. */
function cell(name: string, before: number | undefined, after: number | undefined): Html {
  if (before === undefined || after === undefined) return html`<td></td>`;
  if (before === after) return html`<td class="number">=</td>`;
  const [way, arrow] = after > before ? ['up', '▲'] : ['down', '▼'];
  return html`<td class="number ${way}">${arrow} ${changeWords(name, before, after)}</td>`;
}
