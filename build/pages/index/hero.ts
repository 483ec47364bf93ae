import {html} from 'hono/html';
import type {Site} from '../../read/site.ts';
import {crystal} from '../html/crystal.ts';
import type {Html} from '../html/layout.ts';
import {networkWords} from './networks.ts';

const DESCRIPTION = 'Small dated JSON documents: a free sample of each, and the whole for a few cents.';

/** What the site offers, in words for people. */
export function describe({description}: Site): string {
  return description ?? DESCRIPTION;
}

/** The title, what is offered, and how it works. */
export function hero(site: Site): Html {
  const networks = site.payment.accepts.map(({network}) => networkWords(network)).join(' or ');
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
