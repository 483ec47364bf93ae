import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {textOf, type Html, date} from '../html/layout.ts';
import {numberWords, capitalised} from '../html/words.ts';
import {paths} from '../../../shared/paths.ts';
import {paidContentWords, highlightOf} from '../product/highlight.ts';

/** The most bytes of cards on a page. With everything else, the page stays below 100 KB. */
const MOST_BYTES = 80_000;
/** The number of products from which on there is a search field. */
const FEWEST_SEARCHED = 10;

/** Returns the cards of each page of the list. */
export function listPages(products: readonly ProductRecord[]): Html[][] {
  const pages: Html[][] = [[]];
  let left = MOST_BYTES;
  for (const product of products) {
    const next = card(product);
    const bytes = Buffer.byteLength(textOf(next));
    left -= bytes;
    if (left < 0) {
      pages.push([]);
      left = MOST_BYTES - bytes;
    }
    pages.at(-1)?.push(next);
  }
  return pages;
}

/** Returns the path of a page of the list. */
export function listPath(index: number): string {
  return index === 0 ? '/' : `/list-${index + 1}.html`;
}

/** Returns one page of the list. On the first page, the script searches the cards of all pages. */
export function list(cards: readonly Html[], index: number, pages: number, products: number): Html {
  const heading =
    index === 0
      ? html`<h2 class="unseen" id="for-sale">For sale</h2>`
      : html`<h1 id="for-sale">For sale, page ${index + 1} of ${pages}</h1>`;
  return html`<section aria-labelledby="for-sale">
    ${heading} ${index === 0 && products >= FEWEST_SEARCHED && search(products)}
    <ul class="list" id="list">
      ${cards}
    </ul>
    ${pages > 1 && pageLinks(index, pages)}
  </section>`;
}

/** The search field. The script makes it visible. */
function search(products: number): Html {
  return html`<p class="search" hidden>
    <label for="search">Search ${numberWords(products)} products</label>
    <input id="search" type="search" autocomplete="off" spellcheck="false" />
    <span class="soft" role="status" id="found"></span>
  </p>`;
}

function pageLinks(current: number, pages: number): Html {
  const links = Array.from({length: pages}, (_, index) =>
    index === current
      ? html`<li><b aria-current="page">${index + 1}</b></li> `
      : html`<li><a href="${listPath(index)}">${index + 1}</a></li> `,
  );
  return html`<nav aria-label="Pages of the list">
    <ul class="pages" id="pages">
      ${links}
    </ul>
  </nav>`;
}

/** A product in the list: its figure, its price and a link to buy it. */
function card(product: ProductRecord): Html {
  const {name, title, price, difference, published, history, paidContent} = product;
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
      <li>${paidContentWords(paidContent)}</li>
      ${change !== undefined && before && html`<li>${change} since ${date(before.as_of)}</li>`}
      <li>Frozen on ${date(published.as_of)}</li>
    </ul>
    <p class="order">
      <span class="price">${price.text}</span> <a class="button" href="${page}#buy" aria-label="Buy ${title}">Buy</a>
    </p>
  </li> `;
}
