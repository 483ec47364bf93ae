import {html, raw} from 'hono/html';
import {englishNumber} from '../../shared/english.ts';
import {HTML_TYPE} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';
import {foot, layout, mark, pageHead, type Html} from './html/layout.ts';
import {dataCatalogOf, linkedData} from './html/linked-data.ts';
import {describe} from './html/words.ts';
import {mediaType, related, type Page, type SiteFile, forPrograms, listedIn} from './page.ts';

/** The most bytes of cards on a page. With everything else, the page stays below 100 KB. */
const MOST_BYTES = 80_000;
/** With this number of products or more, the page has a search field. */
const FEWEST_SEARCHED = 10;

/** The first page: the products for sale, then how it works. It is complete without a script. A long list continues on further pages. */
const index: Page = {
  path: '/index.html',
  type: HTML_TYPE,
  relation: 'service-doc',

  compose(site, products, siteFiles) {
    return listPages(products).map((cards, page, {length}) => {
      const isFirst = page === 0;
      const path = listPath(page);
      const section = list(cards, page, length, products.length);
      const content = layout({
        title: isFirst ? site.title : `For sale: ${site.title}`,
        description: describe(site),
        shown: {site, path},
        ...(isFirst && {head: html`${links(site, siteFiles)}${linkedData(dataCatalogOf(site))}`}),
        body: html`<div class="page">
          ${isFirst ? hero(site) : pageHead(site)}
          <main>${section}${isFirst && html` ${howItWorks(site)} ${programs(siteFiles)}`}</main>
          ${foot(site)}
        </div>`,
      });
      return {path: isFirst ? index.path : path, content};
    });
  },
};

export default index;

function hero(site: Site): Html {
  return html`<header class="hero">
    ${mark}
    <h1>${site.title}</h1>
    <p class="lead">${describe(site)}</p>
  </header>`;
}

function links({title}: Site, siteFiles: readonly SiteFile[]): Html[] {
  return related(siteFiles, 'alternate', 'service-desc', 'api-catalog').map(file => {
    const titled = file.relation === 'alternate' && html`title="${title}" `;
    return html`<link rel="${file.relation}" type="${mediaType(file)}" ${titled}href="${file.path}" /> `;
  });
}

/** The names of well-known networks. Others are shown with their CAIP-2 name. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

function howItWorks({payment}: Site): Html {
  const networks = payment.accepts.map(({network}) => NETWORKS.get(network) ?? network).join(' or ');
  return html`<section class="after">
    <h2>How it works</h2>
    <ol class="columns">
      <li>
        <b>Look.</b>
        <p>Every document has a free sample, its figures, and its history.</p>
      </li>
      <li>
        <b>Pay.</b>
        <p>
          A program, or a wallet in your browser, pays for one request over HTTP 402 (x402) in USDC on ${networks}. You
          need no account.
        </p>
      </li>
      <li>
        <b>Check.</b>
        <p>Size, digest and schema of each document are public before you pay.</p>
      </li>
    </ol>
  </section>`;
}

function programs(siteFiles: readonly SiteFile[]): Html {
  const items = listedIn('index', forPrograms(siteFiles)).map(
    ({path, title, purpose}) =>
      html`<li>
        <a href="${path}">${title}</a>
        <p>${purpose}</p>
      </li> `,
  );
  return html`<section class="after">
    <h2>For programs</h2>
    <ul class="columns">
      ${items}
    </ul>
  </section>`;
}

/** Returns the cards of each page of the list, as HTML. */
function listPages(products: readonly ProductRecord[]): string[][] {
  const pages: string[][] = [[]];
  let left = MOST_BYTES;
  for (const {card} of products) {
    const bytes = Buffer.byteLength(card);
    left -= bytes;
    if (left < 0) {
      pages.push([]);
      left = MOST_BYTES - bytes;
    }
    pages.at(-1)?.push(card);
  }
  return pages;
}

function listPath(index: number): string {
  return index === 0 ? '/' : `/list-${index + 1}.html`;
}

/** Returns one page of the list. On the first page, the script searches the cards of all pages. */
function list(cards: readonly string[], index: number, pages: number, products: number): Html {
  const heading =
    index === 0
      ? html`<h2 class="unseen" id="for-sale">For sale</h2>`
      : html`<h1 id="for-sale">For sale, page ${index + 1} of ${pages}</h1>`;
  return html`<section aria-labelledby="for-sale">
    ${heading} ${index === 0 && products >= FEWEST_SEARCHED && search(products)}
    <ul class="list" id="list">
      ${raw(cards.join(''))}
    </ul>
    ${pages > 1 && pageLinks(index, pages)}
  </section>`;
}

/** The search field. The script makes it visible. */
function search(products: number): Html {
  return html`<p class="search" hidden>
    <label for="search">Search ${englishNumber(products)} products</label>
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
