import {html} from 'hono/html';
import {paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import {encode} from '../documents/text.ts';
import type {Site} from '../read/site.ts';
import {crystal, layout, textOf, type Html} from './html/layout.ts';
import {dateWords, describe, numberWords, summaryOf} from './html/words.ts';
import {article} from './index/article.ts';
import {datasetOf, linkedData} from './index/dataset.ts';
import {forPrograms, listedIn, mediaType, related, type Page, type Paper} from './page.ts';

/** The shop window: one page for people, complete without a script. */
export default {
  path: '/index.html',
  type: 'text/html; charset=utf-8',
  relation: 'service-doc',

  compose(site, products, papers) {
    const {articles, datasets, lines, more} = fit(site, products);
    return layout(papers, {
      title: site.title,
      description: describe(site),
      head: html`${links(site, papers)}${linkedData(site, datasets)}`,
      body: html`<div class="page">
        ${hero(site)}
        <main>
          <section aria-labelledby="on-the-shelf">
            <h2 class="unseen" id="on-the-shelf">What is for sale</h2>
            <ul class="shelf">
              ${lines}
            </ul>
            ${more > 0 && html`<p class="note">And ${numberWords(more)} more in <a href="${paths.catalogue}">the catalogue</a>.</p>`}
          </section>
          ${articles} ${programs(papers)}
        </main>
        ${foot(site)}
        <p class="unseen" role="status" id="copy-status"></p>
      </div>`,
    });
  },
} satisfies Page;

/** Room for each part of the page, in bytes; with style and frame it stays below 100 KB however much is for sale. */
const ROOM = {articles: 52_000, datasets: 14_000, lines: 14_000};

/** Shows whole products while there is room, then a line each, then their number: the catalogue has them all. */
function fit(site: Site, products: readonly ProductRecord[]) {
  const articles = whileRoom(ROOM.articles, products, product => article(site, product), textOf);
  const datasets = whileRoom(ROOM.datasets, products, product => datasetOf(site, product), encode);
  const lineOf = (product: ProductRecord, index: number) =>
    shelfLine(product, index < articles.length ? `#${product.name}` : paths.sample(product.name));
  const lines = whileRoom(ROOM.lines, products, lineOf, textOf);
  return {articles, datasets, lines, more: products.length - lines.length};
}

/** @param href where the line leads: the product's part of the page, or its sample */
function shelfLine({title, price, published}: ProductRecord, href: string): Html {
  const {as_of} = published;
  return html`<li>
    <a href="${href}">${title}</a>
    <span class="soft">${summaryOf(published)}</span>
    <time class="soft" datetime="${as_of}">${dateWords(as_of)}</time>
    <span class="price">${price.text}</span>
  </li>`;
}

function whileRoom<T>(
  room: number,
  products: readonly ProductRecord[],
  show: (product: ProductRecord, index: number) => T,
  asText: (shown: T) => string,
): T[] {
  const all: T[] = [];
  for (const [index, product] of products.entries()) {
    const shown = show(product, index);
    room -= Buffer.byteLength(asText(shown));
    if (room < 0) break;
    all.push(shown);
  }
  return all;
}

/** Links of the head, each on a line. */
function links({title, base_url}: Site, papers: readonly Paper[]): (Html | string)[] {
  const linked = related(papers, 'alternate', 'service-desc', 'api-catalog').map(paper => {
    const titled = paper.relation === 'alternate' && html`title="${title}" `;
    return html`<link rel="${paper.relation}" type="${mediaType(paper)}" ${titled}href="${paper.path}" />`;
  });
  return [html`<link rel="canonical" href="${base_url}/" />`, ...linked].flatMap(link => [link, '\n        ']);
}

/** Chains that people know by name; the rest keep their CAIP-2 name. */
const CHAINS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

/** The title, what is offered, and how it works. */
function hero(site: Site): Html {
  const networks = site.payment.accepts.map(({network}) => CHAINS.get(network) ?? network).join(' or ');
  return html`<header class="hero">
    ${crystal}
    <h1>${site.title}</h1>
    <p class="lead">${describe(site)}</p>
    <ol class="steps">
      <li><b>Look.</b> Every document has a free sample, its figures, and its history.</li>
      <li><b>Pay.</b> A program pays for one request over HTTP 402 (x402) in USDC on ${networks}. No account.</li>
      <li><b>Check.</b> Size, digest and schema of what you get are here before you pay.</li>
    </ol>
  </header>`;
}

/** Where programs find what the page says. */
function programs(papers: readonly Paper[]): Html {
  const items = listedIn('index', forPrograms(papers)).map(
    ({path, title, purpose}) =>
      html`<li>
        <a href="${path}">${title}</a>
        <p>${purpose}</p>
      </li>`,
  );
  return html`<section class="programs">
    <h2>For programs</h2>
    <ul>
      ${items}
    </ul>
  </section>`;
}

/** Who answers, and on what terms. */
function foot({contact, license}: Site): Html {
  return html`<footer>
    ${license && html`<span>Licence: <a href="${license.url}" rel="license">${license.name}</a></span>`}
    ${contact?.email !== undefined && html`<a href="mailto:${contact.email}">${contact.email}</a>`}
    ${contact?.url !== undefined && html`<a href="${contact.url}">Contact</a>`}
    <span>Snapshots are frozen: nothing on this page is fetched live.</span>
  </footer>`;
}
