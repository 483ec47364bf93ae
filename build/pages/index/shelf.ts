import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {textOf, type Html} from '../html/layout.ts';
import {date} from '../html/moment.ts';
import {capitalised, numberWords} from '../html/words.ts';

/** Room for the lines of one page, in bytes; with all else it stays below 100 KB. */
const ROOM = 58_000;

/** The lines of each page of the list. */
export function shelvesOf(products: readonly ProductRecord[], address: (name: string) => string): Html[][] {
  const shelves: Html[][] = [[]];
  let room = ROOM;
  for (const product of products) {
    const line = lineOf(product, address(product.name));
    room -= Buffer.byteLength(textOf(line));
    if (room < 0) {
      shelves.push([]);
      room = ROOM;
    }
    shelves.at(-1)?.push(line);
  }
  return shelves;
}

/** A page of the list. */
export function listPage(index: number): string {
  return index === 0 ? '/' : `/list-${index + 1}.html`;
}

/** A page of the contents: what each product tells and costs. From the first page the script searches the lines of all. */
export function shelf(lines: readonly Html[], page: number, pages: number, searched?: Html): Html {
  const heading = 'What is for sale';
  return html`<section aria-labelledby="on-the-shelf">
    ${
      page === 0
        ? html`<h2 class="unseen" id="on-the-shelf">${heading}</h2>`
        : html`<h2 id="on-the-shelf">${heading}, page ${page + 1} of ${pages}</h2>`
    }
    ${searched}
    <ul class="shelf" id="shelf">
      ${lines}
    </ul>
    ${pages > 1 && pageLinks(page, pages)}
  </section>`;
}

/** The field of the search, for whoever runs the script. */
export function search(products: number): Html {
  return html`<p class="search" hidden>
    <label for="search">Search ${numberWords(products)} documents</label>
    <input id="search" type="search" autocomplete="off" spellcheck="false" />
    <span class="soft" role="status" id="found"></span>
  </p>`;
}

function pageLinks(page: number, pages: number): Html {
  const links = Array.from({length: pages}, (_, index) =>
    index === page
      ? html`<li><b aria-current="page">${index + 1}</b></li> `
      : html`<li><a href="${listPage(index)}">${index + 1}</a></li> `,
  );
  return html`<nav aria-label="Pages of the list">
    <ul class="pages" id="pages">
      ${links}
    </ul>
  </nav>`;
}

function lineOf({title, price, difference, published}: ProductRecord, href: string): Html {
  return html`<li>
    <a href="${href}">${title}</a>
    <span class="soft">${capitalised(difference)}.</span>
    <span class="soft">${date(published.as_of)}</span>
    <span class="price">${price.text}</span>
  </li>`;
}
