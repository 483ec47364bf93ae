import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {wordsOf, type ColumnWords} from '../../rows/column-words.ts';
import type {Html} from '../html/layout.ts';
import {countWords, shortened} from '../html/words.ts';

/** Everybody downloads the table: the free sample has the rest. */
const MOST_COLUMNS = 12;
const MOST_LENGTH = 160;
const MOST_WORDED = 40;

/** The rows that the sample shows as a table, and what the columns that are sold mean. */
export function examples({title, examples: rows, goods, columnTypes, columnWords}: ProductRecord): Html | undefined {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const shown = names.slice(0, MOST_COLUMNS);
  const meanings = meaningsOf(Object.keys(columnTypes), columnWords);
  if (shown.length === 0 && !meanings) return undefined;
  return html`<section class="card paper">
    ${shown.length > 0 && table(captionOf(title, goods), shown, rows, columnWords)} ${meanings}
    ${rows.length < goods.shown && html`<p class="claim">${countWords(goods.shown - rows.length, 'more row')} in the free sample.</p>`}
    ${shown.length < names.length && html`<p class="claim">${countWords(names.length - shown.length, 'more column')} in the free sample.</p>`}
  </section>`;
}

/** How a column is called. */
export function columnTitle(name: string, words: ColumnWords): string {
  return shortened(wordsOf(words, name).title ?? name, MOST_LENGTH);
}

/** A bundle's examples are the documents in it. */
const captionOf = (title: string, {holds}: ProductRecord['goods']) =>
  holds
    ? {heading: 'The documents in it, and what each costs alone', label: `Documents in ${title}`}
    : {heading: 'Some of the rows', label: `Some rows of ${title}`};

function table(
  caption: ReturnType<typeof captionOf>,
  names: readonly string[],
  rows: ProductRecord['examples'],
  words: ColumnWords,
): Html {
  const heads = names.map(name => {
    const {unit} = wordsOf(words, name);
    return html`<th scope="col">
      ${columnTitle(name, words)}${unit !== undefined && html` <span class="soft">${unit}</span>`}
    </th>`;
  });
  return html`<div class="paper-head"><h3>${caption.heading}</h3></div>
    <div class="table" tabindex="0" role="region" aria-label="${caption.label}">
      <table>
        <thead>
          <tr>
            ${heads}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            row =>
              html`<tr>
                ${names.map(name => cell(row[name]))}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>`;
}

/** Values as they are sold: no link, for a list may warn of what it lists. */
function cell(value: unknown): Html {
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const cut = shortened(text, MOST_LENGTH);
  return typeof value === 'number' ? html`<td class="number">${cut}</td>` : html`<td>${cut}</td>`;
}

/** What the columns mean that have words; none where none has. */
function meaningsOf(names: readonly string[], words: ColumnWords): Html | undefined {
  const worded = names.flatMap(name => {
    const {title, description, unit} = wordsOf(words, name);
    return description === undefined && title === undefined ? [] : [{name, title, description, unit}];
  });
  if (worded.length === 0) return undefined;
  return html`<details class="columns">
    <summary>What the columns mean</summary>
    <dl>
      ${worded.slice(0, MOST_WORDED).map(
        ({name, title, description, unit}) =>
          html`<div>
            <dt>${shortened(title ?? '', MOST_LENGTH)} <code>${name}</code></dt>
            <dd>
              ${shortened(description ?? '', 3 * MOST_LENGTH)}
              ${unit !== undefined && html`<span class="soft">Unit: ${unit}.</span>`}
            </dd>
          </div>`,
      )}
    </dl>
  </details>`;
}
