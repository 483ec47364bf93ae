import {html, raw} from 'hono/html';
import jsesc from 'jsesc';
import {paths} from '../../shared/paths.ts';
import {dataCatalogOf, datasetOf} from './index/dataset.ts';
import {fit} from './index/fit.ts';
import {describe, hero} from './index/hero.ts';
import {foot, programs} from './index/programs.ts';
import {layout, type Html} from './html/layout.ts';
import {numberWords} from './html/words.ts';
import type {Page} from './page.ts';

/** The shop window: one page for people, complete without a script. */
export default {
  path: '/index.html',
  type: 'text/html; charset=utf-8',

  compose(site, products) {
    const description = describe(site);
    const {lines, articles, described, more} = fit(site, products);
    const graph = [dataCatalogOf(site, description), ...described.map(product => datasetOf(site, product))];
    return layout({
      title: site.title,
      description,
      head: html`<link rel="canonical" href="${site.base_url}/" />
        <link rel="alternate" type="application/atom+xml" title="${site.title}" href="/feed.xml" />
        <link rel="service-desc" type="application/json" href="/openapi.json" />
        <link rel="api-catalog" type="application/linkset+json" href="/.well-known/api-catalog" />
        ${linkedData({'@context': 'https://schema.org', '@graph': graph})}`,
      body: html`<div class="page">
        ${hero(site)}
        <main>
          <section aria-labelledby="on-the-shelf">
            <h2 class="unseen" id="on-the-shelf">What is for sale</h2>
            <ul class="shelf">
              ${lines}
            </ul>
            ${more > 0 && html`<p class="note">And ${numberWords(more)} more in <a href="${paths.catalogue}">the catalogue</a>.</p>`}
          </section>
          ${articles} ${programs()}
        </main>
        ${foot(site)}
        <p class="unseen" role="status" id="copy-status"></p>
      </div>`,
    });
  },
} satisfies Page;

/** JSON in which nothing can end the element that it stands in. */
function linkedData(value: object): Html {
  const json = jsesc(value, {json: true, isScriptContext: true, minimal: true});
  return html`<script type="application/ld+json">
    ${raw(json)}
  </script>`;
}
