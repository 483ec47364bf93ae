import {html} from 'hono/html';
import {editionPath, paths, type DocumentName} from '../../../shared/paths.ts';
import {editionTitle} from '../../documents/edition-title.ts';
import type {Goods, ProductRecord} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {dateAndTime} from '../html/moment.ts';
import {paidFor} from '../html/terms.ts';
import {capitalised, countWords, namesInWords, numberWords, SHOWN_EDITIONS} from '../html/words.ts';
import {columnTitle, examples} from './examples.ts';
import {pictures} from './pictures.ts';

/** Everything about one product. */
export function article(product: ProductRecord): Html {
  return html`<article class="product" id="${product.name}">
    ${facts(product)}
    <div class="body">${pictures(product)} ${examples(product)} ${sample(product)}</div>
  </article>`;
}

/** What a product is, costs and holds, and where its free papers are. */
function facts(product: ProductRecord): Html {
  const {name, title, price, difference, published, next_expected, freezes, goods, pass, documents} = product;
  const {as_of} = published;
  const {bytes, sha256} = documents.paid;
  const titled = (column: string) => columnTitle(column, product.columnWords);
  // Its age is filled in by the reader's browser, which has a clock.
  const age = html`<span class="soft" data-as-of="${as_of}" hidden></span>`;
  return html`<header>
    <h2>${title}</h2>
    <p>${capitalised(difference)}.</p>
    <dl class="facts">
      ${pass && fact('A pass', 'Pay once. Later snapshots come to the same address: sign in with the wallet that paid, and nothing more is charged.')}
      ${fact('Price', html`<span class="price">${price.text}</span> ${paidFor(product)}`)}
      ${fact('Frozen as of', html`${dateAndTime(as_of)} ${age}`)}
      ${next_expected !== undefined && fact('The next is due', dateAndTime(next_expected))}
      ${fact('Source', [...new Set(freezes.map(({source}) => source))].join(', '))}
      ${fact('What you get', soldIn(goods, goods.columns.map(titled)))}
      ${fact('The file, before you pay', html`${numberWords(bytes)} bytes, SHA-256 <code>${sha256}</code>`)}
      ${fact('Free', papers(name))}${product.editions.length > 0 && fact('Also sold, for the same price each', alsoSold(product))}
    </dl>
    <a class="buys" href="#how-to-buy" data-buys="${name}">How to buy ${title}</a>
  </header>`;
}

function fact(name: string, value: string | Html): Html {
  return html`<div>
    <dt class="label">${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

const PAPERS: readonly (readonly [DocumentName, title: string])[] = [
  ['sample', 'Sample'],
  ['history', 'History'],
  ['paidSchema', 'Schema'],
  ['sampleSchema', 'Schema of the sample'],
];

function papers(name: string): Html {
  return html`<ul class="papers">
    ${PAPERS.map(([document, title]) => html`<li><a href="${paths[document](name)}">${title}</a></li> `)}
  </ul>`;
}

/** The parts and formats of a product; of many, the first. */
function alsoSold(product: ProductRecord): Html {
  const {name, editions} = product;
  const more = editions.length - SHOWN_EDITIONS;
  return html`<ul class="papers">
    ${editions
      .slice(0, SHOWN_EDITIONS)
      .map(
        edition =>
          html`<li>
            <a href="${editionPath(name, edition)}">${editionTitle(product.title, edition)}</a>,
            ${countWords(edition.rows, 'row')}, ${numberWords(edition.bytes)} bytes
          </li> `,
      )}
    ${more > 0 && html`<li>${numberWords(more)} more in <a href="${paths.catalogue}">the catalogue</a></li>`}
  </ul>`;
}

/** `8 rows, each with url and class. The figures and a digest of the whole come with it.` */
function soldIn({type, sold, total, holds}: Goods, columns: readonly string[]): string {
  const rest = 'The figures and a digest of the whole come with it.';
  if (type === 'events') return `${countWords(sold, 'signed event')}, and a digest of the whole.`;
  if (holds)
    return `${namesInWords(holds)}: ${holds.length === 1 ? 'its document' : 'their documents'} whole, in one. ${rest}`;
  if (type === 'document') return `A document with ${namesInWords(columns)}. ${rest}`;
  const some = sold < total ? `The first ${numberWords(sold)} of ${numberWords(total)} rows` : countWords(total, 'row');
  return `${some}${total === 1 ? '' : ', each'} with ${namesInWords(columns)}. ${rest}`;
}

/** Longer samples are shown from their beginning: the page is small, the file is one click away. */
const MOST_LINES = 100;

/** The free sample, as its file has it: lines with two more spaces a level, so that long ones can go on below their beginning. */
function sample({name, title, sample: {text, more: unseen}, documents}: ProductRecord): Html {
  const lines = text.trimEnd().split('\n').map(jsonLine);
  const more = lines.length - MOST_LINES + unseen;
  return html`<section class="card paper">
    <div class="paper-head">
      <h3><a href="${paths.sample(name)}">Free sample</a></h3>
      <span class="soft">JSON, ${numberWords(documents.sample.bytes)} bytes</span>
    </div>
    <pre
      class="json"
      tabindex="0"
      role="region"
      aria-label="Sample of ${title}"
    ><code>${lines.slice(0, MOST_LINES)}${more > 0 && html`<span class="in-0"><i>… and ${numberWords(more)} more lines in the file</i></span>`}</code></pre>
  </section>`;
}

/** Deeper lines go on as far in as this depth does. */
const MOST_DEPTH = 4;

function jsonLine(line: string): Html {
  const [, spaces = '', name, value = ''] = /^( *)("(?:[^"\\]|\\.)*":)? ?(.*)$/s.exec(line) ?? [];
  const [, number, rest = ''] = /^(-?\d[^,]*)?(.*)$/s.exec(value) ?? [];
  const words = html`${name && html`<i>${name}</i> `}${number && html`<b>${number}</b>`}${rest}`;
  return html`<span class="in-${Math.min(spaces.length / 2, MOST_DEPTH)}">${spaces}${words}${'\n'}</span>`;
}
