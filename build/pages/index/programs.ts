import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';

const PAPERS = [
  {path: paths.catalogue, text: 'Catalogue', note: 'Every product with the size and SHA-256 of each document.'},
  {path: '/openapi.json', text: 'OpenAPI', note: 'Every path, its schemas, examples and prices.'},
  {path: '/llms.txt', text: 'llms.txt', note: 'The same in Markdown, for language models.'},
  {path: '/feed.xml', text: 'Atom feed', note: 'An entry for each new snapshot: no need to poll.'},
];

/** Where programs find what the page says. */
export function programs(): Html {
  const items = PAPERS.map(
    ({path, text, note}) =>
      html`<li>
        <a href="${path}">${text}</a>
        <p>${note}</p>
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
