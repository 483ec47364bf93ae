import {html} from 'hono/html';
import type {Goods, ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import type {Html} from '../html/layout.ts';
import {capitalised, dateWords, numberWords, timeWords} from '../html/words.ts';

/** What a product is, costs and holds, and where its free papers are. */
export function facts(product: ProductRecord): Html {
  const {name, title, price, difference, published, sources, goods, documents} = product;
  const {as_of} = published;
  const {bytes, sha256} = documents.paid;
  return html`<header>
    <h2>${title}</h2>
    <p>${capitalised(difference)}.</p>
    <dl class="facts">
      ${fact('Price', html`<span class="price">${price.text}</span> a request`)}
      ${fact(
        'Frozen as of',
        html`<time datetime="${as_of}">${dateWords(as_of)}</time>, ${timeWords(as_of)} ${age(as_of)}`,
      )}
      ${fact('Source', sources.join(', '))} ${fact('What is sold', soldIn(goods))}
      ${fact('The file, before you pay', html`${numberWords(bytes)} bytes, SHA-256 <code>${sha256}</code>`)}
      ${fact('Free', papers(name))}
    </dl>
  </header>`;
}

/** Filled in by the reader's browser, which has a clock. */
export function age(as_of: string): Html {
  return html`<span class="soft" data-as-of="${as_of}" hidden></span>`;
}

function fact(name: string, value: string | Html): Html {
  return html`<div>
    <dt class="label">${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function papers(name: string): Html {
  const links = [
    {path: paths.sample(name), text: 'Sample'},
    {path: paths.history(name), text: 'History'},
    {path: paths.paidSchema(name), text: 'Schema'},
    {path: paths.sampleSchema(name), text: 'Schema of the sample'},
  ];
  return html`<ul class="papers">
    ${links.map(({path, text}) => html`<li><a href="${path}">${text}</a></li> `)}
  </ul>`;
}

/** `8 rows (url, class), the figures, and a digest of the whole` */
function soldIn({type, sold, total, columns}: Goods): string {
  if (type === 'events') return `${numberWords(sold)} signed events, and a digest of the whole`;
  const some = sold < total ? `${numberWords(sold)} of ${numberWords(total)}` : numberWords(total);
  return `${some} rows (${columns.join(', ')}), the figures, and a digest of the whole`;
}
