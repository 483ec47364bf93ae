import {html} from 'hono/html';
import {paths, type DocumentName} from '../../../shared/paths.ts';
import type {Goods, UnpagedRecord} from '../../documents/record.ts';
import {listedSources} from '../../documents/catalogue.ts';
import type {ListedSource} from '../../../shared/shapes.ts';
import {type Html, dateAndTime} from '../html/layout.ts';
import {paidFor, countWords, isWebAddress, namesInWords, numberWords, shortened} from '../html/words.ts';
import {columnTitle} from './examples.ts';

const MOST_LENGTH = 160;
const MOST_NAMED = 3;

/** What a product costs and contains, the way to buy it, and its free documents. */
export function offer(product: UnpagedRecord): Html {
  const {name, price, published, next_expected, freezes, goods, pass, documents} = product;
  const {as_of} = published;
  const {bytes, sha256} = documents.paid;
  const titled = (column: string) => columnTitle(column, product.columnWords);
  // The reader's browser, which has a clock, fills in the age.
  const age = html`<span class="soft" data-as-of="${as_of}" hidden></span>`;
  return html`<section class="offer card" aria-label="Offer">
    <p><span class="price">${price.text}</span> <span class="soft">${paidFor(product)}</span></p>
    <a class="button" href="#buy">Buy</a>
    <dl>
      ${pass && fact('A pass', 'Pay once. Later snapshots have the same address: sign in with the wallet that paid. That costs nothing.')}
      ${fact('What you get', soldIn(goods, goods.columns.map(titled)))}
      ${fact('Frozen as of', html`${dateAndTime(as_of)} ${age}`)}
      ${next_expected !== undefined && fact('Next snapshot', dateAndTime(next_expected))}
      ${listedSources(freezes).map(source => fact('Source', sourceWords(source)))}
      ${fact('File', html`JSON, ${numberWords(bytes)} bytes, SHA-256 <code>${sha256}</code>`)}
      ${fact('Free', freeDocuments(name))}
    </dl>
  </section>`;
}

function fact(name: string, value: string | Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `;
}

/** Title, description, licences and origin of a source. */
function sourceWords({name, title = name, description, licenses = [], sources = []}: ListedSource): Html {
  const linked = ({name, title = name, path}: NonNullable<ListedSource['licenses']>[number]) =>
    isWebAddress(path)
      ? html`<a href="${path}">${shortened(title ?? path, MOST_LENGTH)}</a> `
      : html`${shortened(title ?? path ?? '', MOST_LENGTH)} `;
  return html`${shortened(title, MOST_LENGTH)}
  ${description !== undefined && html`<p class="soft">${shortened(description, MOST_LENGTH)}</p>`}
  ${licenses.length > 0 && html`<p class="soft">Licence: ${licenses.slice(0, MOST_NAMED).map(linked)}</p>`}
  ${sources.length > 0 && html`<p class="soft">From: ${sources.slice(0, MOST_NAMED).map(linked)}</p>`}`;
}

const FREE: readonly (readonly [DocumentName, title: string])[] = [
  ['sample', 'Sample'],
  ['history', 'History'],
  ['paidSchema', 'Schema'],
  ['sampleSchema', 'Schema of the sample'],
];

function freeDocuments(name: string): Html {
  return html`<ul class="inline">
    ${FREE.map(([document, title]) => html`<li><a href="${paths[document](name)}">${title}</a></li> `)}
  </ul>`;
}

/** `8 rows, each with url and class. The figures and a digest of the whole are included.` */
function soldIn({type, sold, total, holds}: Goods, columns: readonly string[]): string {
  const rest = 'The figures and a digest of the whole are included.';
  if (type === 'events') return `${countWords(sold, 'signed event')}, and a digest of the whole.`;
  if (holds)
    return `${namesInWords(holds)}: the complete ${holds.length === 1 ? 'document' : 'documents'} in one. ${rest}`;
  if (type === 'document') return `A document with ${namesInWords(columns)}. ${rest}`;
  const some = sold < total ? `The first ${numberWords(sold)} of ${numberWords(total)} rows` : countWords(total, 'row');
  return `${some}${total === 1 ? '' : ', each'} with ${namesInWords(columns)}. ${rest}`;
}

/** The beginning of the free sample. */
export function sample({name, title, documents}: UnpagedRecord, text: string, most: number): Html | undefined {
  if (most === 0) return undefined;
  const lines = text.trimEnd().split('\n');
  const more = lines.length - most;
  return html`<section class="card paper">
    <div class="paper-head">
      <h2><a href="${paths.sample(name)}">Free sample</a></h2>
      <span class="soft">JSON, ${numberWords(documents.sample.bytes)} bytes</span>
    </div>
    <pre
      class="json"
      tabindex="0"
      role="region"
      aria-label="Sample of ${title}"
    ><code>${lines.slice(0, most).join('\n')}</code></pre>
    ${more > 0 && html`<p class="claim">${countWords(more, 'more line')} in the file.</p>`}
  </section>`;
}
