import {englishCount, englishNumber} from '../../../shared/english.ts';
import {html} from 'hono/html';
import type {UnpagedRecord, Edition} from '../../documents/record.ts';
import {digitsOf} from '../../kinds/figures/labels.ts';
import type {BundledExample} from '../../kinds/bundle.ts';
import type {Json} from '../../kinds/kind.ts';
import {wordsOf, type ColumnWords} from '../../read/table-schema.ts';
import {date, table, type Html} from '../html/layout.ts';
import {shortened, shortLabel} from '../html/words.ts';
import {editionPath, FORMATS, paths, type Format} from '../../../shared/paths.ts';

const MOST_COLUMNS = 12;
const MOST_LENGTH = 160;
/** A text with more characters may wrap. */
const LONG = 24;

/** Returns rows of the sample as a table, or for a bundle the documents in it. */
export function examples(product: UnpagedRecord, rows: readonly Json[]): Html | undefined {
  const {title, paidContent, columnWords} = product;
  if (rows.length === 0) return undefined;
  if (paidContent.holds) return documentsIn(title, rows as readonly BundledExample[], paidContent.holds.length);
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const shown = names.slice(0, MOST_COLUMNS);
  const cells = rows.map(
    row =>
      html`<tr>
        ${shown.map(name => valueCell(name, row[name], columnWords))}
      </tr> `,
  );
  return html`<section class="card paper">
    <div class="paper-head"><h2>Some of the rows</h2></div>
    ${table(`Some rows of ${title}`, html`${heads(shown, rows, columnWords)}`, cells)}
    ${rows.length < paidContent.shown && html`<p class="claim">${englishCount(paidContent.shown - rows.length, 'more row')} in the free sample.</p>`}
    ${shown.length < names.length && html`<p class="claim">${englishCount(names.length - shown.length, 'more column')} in the free sample.</p>`}
  </section>`;
}

/** Returns the documents in a bundle as a table, with links to their pages. */
function documentsIn(title: string, documents: readonly BundledExample[], all: number): Html {
  const rows = documents.map(
    ({name, title, as_of, price}) =>
      html`<tr>
        <th scope="row"><a href="${paths.page(name)}">${title}</a></th>
        <td>${date(as_of)}</td>
        <td class="number">${price}</td>
      </tr> `,
  );
  const more = all - rows.length;
  return html`<section class="card paper">
    <div class="paper-head"><h2>Contents</h2></div>
    ${table(
      `Documents in ${title}`,
      html`<th scope="col">Document</th>
        <th scope="col">Frozen on</th>
        <th scope="col" class="number">Price</th>`,
      rows,
    )}
    ${more > 0 && html`<p class="claim">${englishCount(more, 'more document')} in the free sample.</p>`}
  </section>`;
}

/** Returns the title of a column. Returns its name if the title is missing, or if another column has the same title. */
export function columnTitle(name: string, words: ColumnWords): string {
  const {title} = wordsOf(words, name);
  const isUnique = Object.values(words).filter(other => other.title === title).length === 1;
  return shortened(title !== undefined && isUnique ? title : name, MOST_LENGTH);
}

function heads(names: readonly string[], rows: readonly Json[], words: ColumnWords): Html[] {
  return names.map(name => {
    const {unit} = wordsOf(words, name);
    const aligned = rows.some(row => typeof row[name] === 'number') && html` class="number"`;
    return html`<th${aligned} scope="col">
      ${columnTitle(name, words)}${unit !== undefined && html` <span class="soft">${unit}</span>`}
    </th>`;
  });
}

/** Values are not linked, because a list may warn about the URLs in it. */
function valueCell(name: string, value: unknown, words: ColumnWords): Html {
  // A number without a unit may be a year or a code, in which thousands are not separated.
  if (typeof value === 'number')
    return html`<td class="number">${wordsOf(words, name).unit === undefined ? value : digitsOf(name, value)}</td>`;
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const style = text.length > LONG && html` class="long"`;
  return html`<td${style}>${shortened(text, MOST_LENGTH)}</td>`;
}

/** Returns titles, descriptions and units of the columns that have a title or description. */
export function columnMeanings({columnTypes, columnWords: words}: UnpagedRecord, most: number): Html | undefined {
  const worded = Object.keys(columnTypes).flatMap(name => {
    const {title, description, unit} = wordsOf(words, name);
    return description === undefined && title === undefined ? [] : [{name, title, description, unit}];
  });
  if (worded.length === 0) return undefined;
  return html`<details class="card">
    <summary>What the columns mean</summary>
    <dl>
      ${worded.slice(0, most).map(
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

/** Returns the parts and formats of a product as a table: what each part contains, its rows, and the size of each file. */
export function editions({name, price, editions}: UnpagedRecord, most: number): Html | undefined {
  if (editions.length === 0) return undefined;
  const formats = (Object.keys(FORMATS) as Format[]).filter(key => editions.some(({format}) => format === key));
  const parts = [...new Set(editions.map(({part}) => part?.name))];
  const shown = parts.slice(0, most).map(name => editions.filter(({part}) => part?.name === name));
  const more = parts.length - shown.length;
  return html`<section class="card paper">
    <div class="paper-head">
      <h2>Also sold as</h2>
      <span class="soft">${price.text} each</span>
    </div>
    ${table(
      'Parts and formats',
      html`<th scope="col">Part</th>
        <th scope="col" class="number">Rows</th>
        ${formats.map(format => html`<th scope="col" class="number">${FORMATS[format].title}</th> `)}`,
      shown.map(files => row(name, files, formats)),
    )}
    ${more > 0 && html`<p class="claim">${englishNumber(more)} more in <a href="${paths.catalogue}">the catalogue</a>.</p>`}
  </section>`;
}

function row(name: string, files: readonly Edition[], formats: readonly Format[]): Html {
  const [first] = files;
  const cells = formats.map(format => {
    const file = files.find(file => file.format === format);
    return html`<td class="number">
      ${file && html`<a href="${editionPath(name, file)}">${englishCount(file.bytes, 'byte')}</a>`}
    </td> `;
  });
  return html`<tr>
    <th scope="row">${shortLabel(first?.part?.holds ?? 'Everything')}</th>
    <td class="number">${englishNumber(first?.rows ?? 0)}</td>
    ${cells}
  </tr> `;
}
