import {html} from 'hono/html';
import {paths, type DocumentName} from '../../../shared/paths.ts';
import type {Goods, ProductRecord} from '../../documents/record.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';
import {capitalised, dateWords, numberWords, timeWords} from '../html/words.ts';
import {buying} from './buying.ts';
import {pictures} from './pictures.ts';

/** Everything about one product. */
export function article(site: Site, product: ProductRecord): Html {
  return html`<article class="product" id="${product.name}">
    ${facts(product)}
    <div class="body">${pictures(product)} ${sample(product)} ${buying(site, product)}</div>
  </article>`;
}

/** What a product is, costs and holds, and where its free papers are. */
function facts({name, title, price, difference, published: {as_of}, sources, goods, documents}: ProductRecord): Html {
  const {bytes, sha256} = documents.paid;
  // Its age is filled in by the reader's browser, which has a clock.
  const age = html`<span class="soft" data-as-of="${as_of}" hidden></span>`;
  return html`<header>
    <h2>${title}</h2>
    <p>${capitalised(difference)}.</p>
    <dl class="facts">
      ${fact('Price', html`<span class="price">${price.text}</span> a request`)}
      ${fact('Frozen as of', html`<time datetime="${as_of}">${dateWords(as_of)}</time>, ${timeWords(as_of)} ${age}`)}
      ${fact('Source', sources.join(', '))} ${fact('What is sold', soldIn(goods))}
      ${fact('The file, before you pay', html`${numberWords(bytes)} bytes, SHA-256 <code>${sha256}</code>`)}
      ${fact('Free', papers(name))}
    </dl>
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

/** `8 rows (url, class), the figures, and a digest of the whole` */
function soldIn({type, sold, total, columns}: Goods): string {
  if (type === 'events') return `${numberWords(sold)} signed events, and a digest of the whole`;
  const some = sold < total ? `${numberWords(sold)} of ${numberWords(total)}` : numberWords(total);
  return `${some} rows (${columns.join(', ')}), the figures, and a digest of the whole`;
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
