import {html} from 'hono/html';
import type {Offer} from '../payments/offer.ts';

/** Only what the page itself contains may be shown; it runs no script. */
export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The 402 for people: what is for sale, what it costs, where the sample is. `html` escapes what it is given. */
export function offerPage({rule, requirements}: Offer, siteTitle: string) {
  const networks = requirements.map(
    ({network, payTo}) => html`<li>USDC on <code>${network}</code>, to <code>${payTo}</code></li>`,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${rule.title}, ${rule.price}: ${siteTitle}</title>
        <style>
          body {
            font:
              1rem/1.5 system-ui,
              sans-serif;
            max-width: 40rem;
            margin: 3rem auto;
            padding: 0 1rem;
          }
          code {
            overflow-wrap: anywhere;
          }
          :root {
            color-scheme: light dark;
            background: Canvas;
            color: CanvasText;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${rule.title}</h1>
          <p>${rule.description}</p>
          <p>This document costs <strong>${rule.price}</strong>, paid by a program over HTTP 402 (x402, version 2):</p>
          <ul>
            ${networks}
          </ul>
          <p>
            <a href="${rule.sample}">See the free sample</a> and <a href="${rule.schema}">the schema</a> of what you
            would get.
          </p>
          <p><a href="/">${siteTitle}</a></p>
        </main>
      </body>
    </html>`;
}
