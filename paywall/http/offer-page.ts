import {html, raw} from 'hono/html';
import parts from '#offer-page' with {type: 'json'};
import {englishCount} from '../../shared/english.ts';
import {FORMATS} from '../../shared/paths.ts';
import {withoutControls} from '../../shared/printable.ts';
import type {RuleEntry} from '../../shared/shapes.ts';
import type {Offer} from '../payments/protocol/offer.ts';

const {style, script, networks, testNetworks} = parts;
const styleElement = raw(`<style>${style.text}</style>`);
const scriptElement = raw(`<script>${script.text}</script>`);

/** The page runs only its own script, connects only to this gate, and cannot be framed. `data:` is for the icons of wallets. */
export const pagePolicy = [
  "default-src 'none'",
  `script-src ${script.digest}`,
  `style-src ${style.digest}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Returns the page of a 402 for browsers: the document, its price, the sample, and a checkout for wallets, which the script shows. `html`
 * escapes all values.
 */
export async function offerPage(offer: Offer, siteTitle: string): Promise<string> {
  const {rule, requirements, snapshot} = offer;
  const {page: productPage} = await offer.sample();
  const payees = requirements.map(({network, payTo}) => {
    const {name = network, symbol = 'USDC'} = networks[network] ?? {};
    const money = testNetworks.includes(network) ? ', test money' : '';
    return html`<li>${symbol} on ${name} (<code>${network}</code>${money}), to <code>${payTo}</code></li>`;
  });
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${rule.title}, ${rule.price}: ${siteTitle}</title>
        ${styleElement}
      </head>
      <body>
        <header><a href="/">${siteTitle}</a></header>
        <main>
          <h1>${rule.title}</h1>
          <p class="lead">${descriptionOf(rule)}</p>
          <dl class="facts">
            <div>
              <dt class="label">Price</dt>
              <dd class="price">${rule.price}</dd>
            </div>
            ${rule.pass && laterSnapshots(rule.pass.next)}
            <div>
              <dt class="label">Document</dt>
              <dd>${contentsOf(offer)}</dd>
            </div>
            <div>
              <dt class="label">As of</dt>
              <dd><time datetime="${snapshot.as_of}">${displayTime(snapshot.as_of)}</time></dd>
            </div>
            <div>
              <dt class="label">Before you pay</dt>
              <dd>
                See <a href="${productPage}">figures</a>, <a href="${productPage}#sample">the free sample</a> and
                <a href="${rule.schema}">the schema</a>
              </dd>
            </div>
          </dl>
          <section id="checkout" data-terms="${JSON.stringify(termsOf(offer))}" aria-labelledby="checkout-title" hidden>
            <h2 id="checkout-title">Pay with a wallet</h2>
            <p id="checkout-status" role="status" tabindex="-1"></p>
            <div id="checkout-view"></div>
          </section>
          <noscript><p>To pay with a wallet, turn on JavaScript.</p></noscript>
          <section aria-labelledby="program-title">
            <h2 id="program-title">Pay with a program</h2>
            <p>
              A program pays over HTTP 402 (x402, version 2). The page of the product has
              <a href="${productPage}#buy">commands and code</a>. The site accepts:
            </p>
            <ul>
              ${payees}
            </ul>
          </section>
        </main>
        ${scriptElement}
      </body>
    </html>`;
  return withoutControls(String(await page));
}

/** `Reports the share of one class.`: the description without the title before it, as a sentence. */
function descriptionOf({title, description}: RuleEntry): string {
  const text = description.startsWith(`${title}: `) ? description.slice(title.length + 2) : description;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `11 rows, class dead, JSON, 2,112 bytes`. */
function contentsOf({rule, listed: {rows, part, bytes}}: Offer): string {
  const format = Object.values(FORMATS).find(({type}) => type === rule.type)?.title;
  return [
    ...(rows === undefined ? [] : [englishCount(rows, 'row')]),
    ...(part ? [part.holds] : []),
    ...(format === undefined ? [] : [format]),
    englishCount(bytes, 'byte'),
  ].join(', ');
}

/** The later snapshots that one payment for a pass includes. */
function laterSnapshots(next: number) {
  const [later, it] = next === 1 ? ['next snapshot', 'it is'] : [`next ${next} snapshots`, 'each is'];
  return html`<div>
    <dt class="label">One payment</dt>
    <dd>
      is for this snapshot and the ${later}. Request this address while ${it} for sale, and sign in or sign a payment
      with the wallet that paid: nothing more is charged.
    </dd>
  </div>`;
}

/** The data for the script: `Terms` in `in-browser/types.d.ts`. */
function termsOf({rule, url, snapshot, requirements}: Offer) {
  const file = rule.path.slice(rule.path.lastIndexOf('/') + 1);
  return {
    title: rule.title,
    asOf: displayTime(snapshot.as_of),
    url,
    file: file.includes('.') ? file : `${file}.json`,
    type: rule.type,
    snapshot,
    ways: requirements.flatMap(accepted => {
      const known = networks[accepted.network];
      return known ? [{...known, accepted, chainId: Number(accepted.network.split(':')[1])}] : [];
    }),
  };
}

/** Formats a time of RFC 3339 for display: `2026-05-01 12:00:00 UTC`. */
function displayTime(time: string): string {
  return time.replace('T', ' ').replace(/(\.000)?Z$/, ' UTC');
}
