import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {date} from '../html/moment.ts';
import {capitalised} from '../html/words.ts';
import {goodsWords, highlightOf} from '../product/highlight.ts';

/** A product in the list: its figure, what it costs, and the way to buy it. */
export function card(product: ProductRecord): Html {
  const {name, title, price, difference, published, history, goods} = product;
  const page = paths.page(name);
  const {headline, claim, chart, change} = highlightOf(product);
  const before = history.at(-2);
  return html`<li class="card">
    <h2><a href="${page}">${title}</a></h2>
    <p class="headline">${headline}</p>
    <p class="claim">${claim}</p>
    ${chart}
    <p class="soft">${capitalised(difference)}.</p>
    <ul class="meta">
      <li>${goodsWords(goods)}</li>
      ${change !== undefined && before && html`<li>${change} since ${date(before.as_of)}</li>`}
      <li>Frozen on ${date(published.as_of)}</li>
    </ul>
    <p class="order">
      <span class="price">${price.text}</span> <a class="button" href="${page}#buy" aria-label="Buy ${title}">Buy</a>
    </p>
  </li> `;
}
