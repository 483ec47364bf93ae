import {html} from 'hono/html';
import {paths} from '../../shared/paths.ts';
import type {Site} from '../read/site.ts';
import {crystal, layout, type Html} from './html/layout.ts';
import {describe, numberWords} from './html/words.ts';
import {linkedData} from './index/dataset.ts';
import {fit} from './index/fit.ts';
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

/** A line each. */
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
