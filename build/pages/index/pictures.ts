import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {captionOf, dateWords, figureWords, headlineOf, pointWords} from '../html/words.ts';
import {line, sparkline} from './line.ts';
import {bar, dots, legend} from './shapes.ts';

/** What the figures look like: now and, where there are several freezes, over time. */
export function pictures(product: ProductRecord): Html {
  const {published, history} = product;
  const {picture} = published;
  return html`<div class="pictures">
    ${picture ? now(picture, product.name) : list(history)} ${overTime(history, product.name)}
  </div>`;
}

function now(picture: Picture, name: string): Html {
  const draw = picture.shape === 'bar' ? bar : dots;
  return html`<figure class="card">
    <figcaption>
      <h3>In this snapshot</h3>
      <p class="headline">${headlineOf(picture)}</p>
      <p class="claim">${captionOf(picture)}</p>
    </figcaption>
    <div>${draw(picture, `${name}-now`)} ${legend(picture)}</div>
  </figure>`;
}

function overTime(history: ProductRecord['history'], name: string): Html | undefined {
  const [before, last] = history.slice(-2);
  const drawn = line(history, `${name}-line`);
  if (!drawn || !before?.picture || !last?.picture) return undefined;
  const change = shareOf(last.picture).ratio - shareOf(before.picture).ratio;
  return html`<figure class="card over-time">
    <figcaption>
      <h3>Over ${history.length} snapshots</h3>
      <p class="headline">${pointWords(change)}</p>
      <p class="claim">percentage points since ${dateWords(before.as_of)}</p>
    </figcaption>
    ${drawn}
  </figure>`;
}

/** Figures of a kind that draws no picture, each with the way it went. */
function list(history: ProductRecord['history']): Html {
  const {figures = {}} = history.at(-1) ?? {};
  const since = history.length > 1 && history[0]?.as_of;
  const items = Object.entries(figures).map(([name, value]) => {
    const before = history.map(point => point.figures[name]).filter(figure => typeof figure === 'number');
    return html`<div>
      <dt>${name}</dt>
      <dd>${sparkline(name, before)} <b>${figureWords(value)}</b></dd>
    </div>`;
  });
  return html`<section class="card">
    <h3>In this snapshot${since && `, and since ${dateWords(since)}`}</h3>
    <dl class="figures">${items}</dl>
  </section>`;
}
