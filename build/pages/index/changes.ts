import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {date} from '../html/moment.ts';
import {capitalised, changeWords, figureLabel} from '../html/words.ts';

type History = ProductRecord['history'];

/** The last of many: a column each. */
const MOST_CHANGES = 8;

/** A map of change: how every number went from each snapshot to the next. None before the third snapshot, where it would say little. */
export function changes({title, history, words = {}}: ProductRecord): Html | undefined {
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
    <div class="paper-head"><h3>What changed, by snapshot</h3></div>
    <div class="table" tabindex="0" role="region" aria-label="Changes of ${title}">
      <table class="changes">
        <thead>
          <tr>
            <td></td>
            ${steps.map(step => html`<th scope="col">${date(history[step]?.as_of ?? '')}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${names.map(row)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function numberAt(history: History, index: number, name: string): number | undefined {
  const figure = history.at(index)?.figures[name];
  return typeof figure === 'number' ? figure : undefined;
}

/** The sign and an arrow tell what the colour tells. */
function cell(name: string, before: number | undefined, after: number | undefined): Html {
  if (before === undefined || after === undefined) return html`<td></td>`;
  if (before === after) return html`<td class="number">=</td>`;
  const [way, arrow] = after > before ? ['up', '▲'] : ['down', '▼'];
  return html`<td class="number ${way}">${arrow} ${changeWords(name, before, after)}</td>`;
}
