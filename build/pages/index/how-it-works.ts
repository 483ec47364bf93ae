import {html} from 'hono/html';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';
import {forPrograms, listedIn, type Paper} from '../page.ts';

/** The names of well-known networks. Others keep their CAIP-2 name. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

/** How a purchase works, in three steps. */
export function howItWorks({payment}: Site): Html {
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

/** Where programs find what the pages say. */
export function programs(papers: readonly Paper[]): Html {
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
