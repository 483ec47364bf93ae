import {html} from 'hono/html';
import {HTML_TYPE} from '../../shared/paths.ts';
import type {Site} from '../read/site.ts';
import {foot, pageHead, mark, layout, type Html, PREVIEW} from './html/layout.ts';
import {dataCatalogOf, linkedData} from './html/linked-data.ts';
import {describe} from './html/words.ts';
import {list, listPages, listPath} from './index/list.ts';
import {mediaType, related, type Page, type Paper, forPrograms, listedIn} from './page.ts';

/** The first page: the products for sale, then how it works. It is complete without a script. A long list continues on further pages. */
const index: Page = {
  path: '/index.html',
  type: HTML_TYPE,
  relation: 'service-doc',

  compose(site, products, papers) {
    return listPages(products).map((cards, page, {length}) => {
      const section = list(cards, page, length, products.length);
      return page === 0
        ? {path: index.path, content: firstPage(site, papers, section)}
        : {path: listPath(page), content: furtherPage(site, section, listPath(page))};
    });
  },
};

export default index;

function firstPage(site: Site, papers: readonly Paper[], section: Html): string {
  return layout({
    title: site.title,
    description: describe(site),
    shown: {site, path: '/', image: PREVIEW.path},
    head: html`${links(site, papers)}${linkedData(dataCatalogOf(site))}`,
    body: html`<div class="page">
      <header class="hero">
        ${mark}
        <h1>${site.title}</h1>
        <p class="lead">${describe(site)}</p>
      </header>
      <main>${section} ${howItWorks(site)} ${programs(papers)}</main>
      ${foot(site)}
    </div>`,
  });
}

function furtherPage(site: Site, section: Html, path: string): string {
  return layout({
    title: `For sale: ${site.title}`,
    description: describe(site),
    shown: {site, path, image: PREVIEW.path},
    body: html`<div class="page">
      ${pageHead(site)}
      <main>${section}</main>
      ${foot(site)}
    </div>`,
  });
}

/** Links in the head, one per line. */
function links({title}: Site, papers: readonly Paper[]): Html[] {
  return related(papers, 'alternate', 'service-desc', 'api-catalog').map(paper => {
    const titled = paper.relation === 'alternate' && html`title="${title}" `;
    return html`<link rel="${paper.relation}" type="${mediaType(paper)}" ${titled}href="${paper.path}" /> `;
  });
}

/** The names of well-known networks. Others are shown with their CAIP-2 name. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

/** How a purchase works, in three steps. */
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

/** Links to the files for programs. */
function programs(papers: readonly Paper[]): Html {
  const items = listedIn('index', forPrograms(papers)).map(
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
