import {html} from 'hono/html';
import {editionPath, paths} from '../../../shared/paths.ts';
import type {Edition, UnpagedRecord} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {numberWords, shortLabel} from '../html/words.ts';

const FORMAT_NAMES = {json: 'JSON', csv: 'CSV', parquet: 'Parquet'} as const;

/** The parts and formats of a product as a table: what each part holds, its rows, and a file for each format. */
export function editions({name, price, editions}: UnpagedRecord, most: number): Html | undefined {
  if (editions.length === 0) return undefined;
  const parts = [...new Set(editions.map(({part}) => part?.name))];
  const shown = parts.slice(0, most).map(name => editions.filter(({part}) => part?.name === name));
  const more = parts.length - shown.length;
  return html`<section class="card paper">
    <div class="paper-head">
      <h2>Also sold as</h2>
      <span class="soft">${price.text} each</span>
    </div>
    <div class="table" tabindex="0" role="region" aria-label="Parts and formats">
      <table>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="number">Rows</th>
            <th scope="col">Files</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(files => row(name, files))}
        </tbody>
      </table>
    </div>
    ${more > 0 && html`<p class="claim">${numberWords(more)} more in <a href="${paths.catalogue}">the catalogue</a>.</p>`}
  </section>`;
}

function row(name: string, files: readonly Edition[]): Html {
  const [first] = files;
  return html`<tr>
    <th scope="row">${shortLabel(first?.part?.holds ?? 'Everything')}</th>
    <td class="number">${numberWords(first?.rows ?? 0)}</td>
    <td>
      <ul class="inline">
        ${files.map(
          file =>
            html`<li>
              <a href="${editionPath(name, file)}">${FORMAT_NAMES[file.format]}</a>
              <span class="soft">${numberWords(file.bytes)} bytes</span>
            </li> `,
        )}
      </ul>
    </td>
  </tr> `;
}
