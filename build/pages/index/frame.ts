import {html} from 'hono/html';
import type {Site} from '../../read/site.ts';
import {crystal, type Html} from '../html/layout.ts';
import {describe} from '../html/words.ts';
import {forPrograms, listedIn, type Paper} from '../page.ts';

/** Chains that people know by name; the rest keep their CAIP-2 name. */
const CHAINS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

/** The title, what is offered, and how it works. */
export function hero(site: Site): Html {
  const networks = site.payment.accepts.map(({network}) => CHAINS.get(network) ?? network).join(' or ');
  return html`<header class="hero">
    ${crystal}
    <h1>${site.title}</h1>
    <p class="lead">${describe(site)}</p>
    <ol class="steps">
      <li><b>Look.</b> Every document has a free sample, its figures, and its history.</li>
      <li>
        <b>Pay.</b> A program, or a wallet in your browser, pays for one request over HTTP 402 (x402) in USDC on
        ${networks}. No account.
      </li>
      <li><b>Check.</b> Size, digest and schema of what you get are here before you pay.</li>
    </ol>
  </header>`;
}

/** The head of a page within the site: the way back. */
export function smallHead({title}: Site): Html {
  return html`<header class="small-head">
    <h1><a href="/">${crystal} ${title}</a></h1>
  </header>`;
}

/** Where programs find what the page says. */
export function programs(papers: readonly Paper[]): Html {
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
export function foot({contact, license}: Site): Html {
  return html`<footer>
    ${license && html`<span>Licence: <a href="${license.url}" rel="license">${license.name}</a></span>`}
    ${contact?.email !== undefined && html`<a href="mailto:${contact.email}">${contact.email}</a>`}
    ${contact?.url !== undefined && html`<a href="${contact.url}">Contact</a>`}
    <span>Snapshots are frozen: nothing on this page is fetched live.</span>
  </footer>`;
}
