import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import {date, textOf} from '../html/layout.ts';
import {captionOf, paidContentWords} from '../html/words.ts';
import {capitalised} from '../../../shared/english.ts';
import {highlightOf} from './shapes.ts';

/** Returns HTML of a product in the list: its figure, its price and a link to buy it. */
export function card(product: UnpagedRecord): string {
  const {name, title, price, difference, published, history, paidContent} = product;
  const page = paths.page(name);
  const {headline, claim, drawing, change} = highlightOf(product);
  const before = history.at(-2);
  // The headline of a bundle has the number of its documents.
  const sold = paidContent.holds && published.chart ? captionOf(published.chart) : paidContentWords(paidContent);
  const content = html`<li class="card">
    <h2><a href="${page}">${title}</a></h2>
    <p class="headline">${headline}</p>
    ${claim !== undefined && html`<p class="claim">${claim}</p>`} ${drawing}
    <p class="soft">${capitalised(difference)}.</p>
    <ul class="meta">
      ${sold !== headline && html`<li>${sold}</li>`}
      ${change !== undefined && before && html`<li>${capitalised(change)} since ${date(before.as_of)}</li>`}
      <li>${before ? 'Frozen' : 'First snapshot, frozen'} on ${date(published.as_of)}</li>
    </ul>
    <p class="order">
      <span class="price">${price.text}</span> <a class="button" href="${page}#buy" aria-label="Buy ${title}">Buy</a>
    </p>
  </li> `;
  // A copy, because V8 keeps a composed text as a tree of its parts, which is several times as large.
  return Buffer.from(textOf(content)).toString();
}
