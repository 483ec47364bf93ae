import {html} from 'hono/html';
import type {Site} from '../../read/site.ts';
import {crystal, type Html} from './layout.ts';

/** The head of every page except the first: the way back to the list of products. */
export function pageHead({title}: Site): Html {
  return html`<nav class="site" aria-label="Site">
    <a href="/">${crystal} ${title}</a>
  </nav>`;
}

/** The publisher's contact, and the licence. */
export function foot({contact, license}: Site): Html {
  return html`<footer>
    ${license && html`<span>Licence: <a href="${license.url}" rel="license">${license.name}</a></span>`}
    ${contact?.email !== undefined && html`<a href="mailto:${contact.email}">${contact.email}</a>`}
    ${contact?.url !== undefined && html`<a href="${contact.url}">Contact</a>`}
    <span>Snapshots are frozen: nothing on this page is fetched live.</span>
  </footer>`;
}
