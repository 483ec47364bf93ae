import {html} from 'hono/html';
import {ratioOf} from '../../kinds/figures/counts.ts';
import type {ProductRecord} from '../../documents/record.ts';
import type {Words} from '../../kinds/figures/labels.ts';
import {shareOf, type Picture, type PictureGroups} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {date} from '../html/moment.ts';
import {capitalised, captionOf, figureLabel, figureWords, headlineOf} from '../html/words.ts';
import {numberWords, percentWords, pointWords} from '../html/words.ts';
import {changes} from './changes.ts';
import {line} from './line.ts';
import {bar, dots, legend} from './shapes.ts';
import {trend} from './trend.ts';

/** What the figures look like: now and, where there are several freezes, over time. */
export function pictures(product: ProductRecord): Html {
  const {published, history, name} = product;
  const {picture} = published;
  return html`<div class="pictures">
      ${picture && now(picture, name)} ${overTime(history, name)} ${picture?.groups && byGroup(picture.groups)}
      ${list(product)}
    </div>
    ${(!picture || picture.draws) && changes(product)}`;
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
  if (!drawn || !before?.picture || !last?.picture || before.picture.claim !== last.picture.claim) return undefined;
  const change = shareOf(last.picture).ratio - shareOf(before.picture).ratio;
  return html`<figure class="card over-time">
    <figcaption>
      <h3>Over ${history.length} snapshots</h3>
      <p class="headline">${pointWords(change)}</p>
      <p class="claim">percentage points since ${date(before.as_of)}</p>
    </figcaption>
    ${drawn}
  </figure>`;
}

/** The share of each group. */
function byGroup({by, items}: PictureGroups): Html {
  return html`<section class="card">
    <h3>By ${by}</h3>
    <dl class="figures">
      ${items.map(
        ({label, n, total}) =>
          html`<div>
            <dt>${label}</dt>
            <dd>
              <span class="soft">${numberWords(n)} of ${numberWords(total)}</span>
              <b>${percentWords(ratioOf(n, total))}</b>
            </dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/** Figures that no picture draws, each with the way it went. */
function list({history, words = {}, published: {figures, picture}}: ProductRecord): Html | undefined {
  const drawn = picture && (picture.draws ?? Object.keys(figures));
  const items = Object.entries(figures).filter(([name]) => !drawn?.includes(name));
  if (items.length === 0) return undefined;
  const [first, ...later] = history;
  return html`<section class="card">
    <h3>
      ${drawn ? 'Beside it' : 'In this snapshot'}${later.length > 0 && html`, and since ${date(first?.as_of ?? '')}`}
    </h3>
    <dl class="figures">${items.map(([name, value]) => item(name, value, history, words))}</dl>
  </section>`;
}

function item(name: string, value: unknown, history: ProductRecord['history'], words: Words): Html {
  const label = capitalised(figureLabel(words, name));
  const before = history.flatMap(({as_of, figures: {[name]: value}}) =>
    typeof value === 'number' ? [{as_of, value, words: figureWords(words, name, value)}] : [],
  );
  return html`<div>
    <dt>${label}</dt>
    <dd>${trend(label, before)} <b>${figureWords(words, name, value)}</b></dd>
  </div>`;
}
