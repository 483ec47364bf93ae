import {html} from 'hono/html';
import {crystal, layout, type Html} from '../../build/pages/html/layout.ts';
import {numberWords} from '../../build/pages/html/words.ts';
import {counted} from '../../shared/counted.ts';
import {incomeChart} from './chart.ts';
import {amountWords, networkName, symbolOf, type Currency} from './money.ts';
import {periodWords, type Period} from './period.ts';
import {netOf, type Line, type Totals} from './totals.ts';

/** Where the sales of a page are from. */
interface Origin {
  readonly source: string;
  readonly period: Period;
}

/** Lines of a list beyond these are counted. */
const MOST_LINES = 20;

/** A page for the publisher: complete in itself, and nothing on it needs a script. */
export function salesPage(totals: Totals, {source, period}: Origin): string {
  const when = periodWords(period);
  const about = `${when ? `Sales ${when}` : 'All sales'}, from ${source}.`;
  const parts = totals.totals.map((total, index) => partOf(total, totals, `currency-${index}`));
  return layout([], {
    title: 'Sales',
    description: about,
    body: html`<div class="page">
      <header class="hero">
        ${crystal}
        <h1>Sales</h1>
        <p class="lead">${about} This page says who bought what: it is for you alone.</p>
      </header>
      <main>${parts.length > 0 ? parts : html`<p>Nothing was sold.</p>`} ${notCounted(totals)}</main>
    </div>`,
  });
}

/** All that was sold in one currency. */
function partOf(total: Line, totals: Totals, id: string): Html {
  const {currency} = total;
  const among = (lines: readonly Line[]) => lines.filter(line => line.currency === currency);
  const buyers = among(totals.by('buyer'));
  const back = buyers.filter(({sales}) => sales > 1);
  const name = `${symbolOf(currency)} on ${networkName(currency.network)}`;
  return html`<article class="product" aria-labelledby="${id}">
    <header>
      <h2 id="${id}">${name}</h2>
      <dl class="facts">
        <div>
          <dt class="label">Income</dt>
          <dd class="price">${amountWords(netOf(total), currency)}</dd>
        </div>
        ${fact('Sales', `${numberWords(total.sales)}, for ${amountWords(total.gross, currency)}`)}
        ${fact('Paid back', `${numberWords(total.refunds)}, ${amountWords(total.refunded, currency)}`)}
        ${fact('Buyers', `${numberWords(buyers.length)}, of whom ${numberWords(back.length)} came back`)}
      </dl>
    </header>
    <div class="body">
      ${incomeChart(among(totals.by('day')), `${id}-chart`)}
      ${list('Best products', among(totals.by('product')), currency)} ${list('Buyers who came back', back, currency)}
    </div>
  </article>`;
}

function fact(label: string, words: string): Html {
  return html`<div>
    <dt class="label">${label}</dt>
    <dd>${words}</dd>
  </div>`;
}

function list(title: string, lines: readonly Line[], currency: Currency): Html {
  const items = lines.slice(0, MOST_LINES).map(
    line =>
      html`<div>
        <dt>${line.name}</dt>
        <dd>${counted(line.sales, 'sale')} <b>${amountWords(netOf(line), currency)}</b></dd>
      </div>`,
  );
  const more = lines.length - items.length;
  return html`<section class="card">
    <h3>${title}</h3>
    ${items.length > 0 ? html`<dl class="figures">${items}</dl>` : html`<p class="claim">None.</p>`}
    ${more > 0 && html`<p class="claim">And ${numberWords(more)} more.</p>`}
  </section>`;
}

function notCounted({others}: Totals): Html | undefined {
  if (others.size === 0) return undefined;
  const items = [...others].map(([state, count]) => fact(state, numberWords(count)));
  return html`<section class="programs" aria-labelledby="not-counted">
    <h2 id="not-counted">Not counted</h2>
    <p>No money is known to have come of these.</p>
    <dl class="facts">${items}</dl>
  </section>`;
}
