import {html} from 'hono/html';
import {HTML_TYPE} from '../../shared/paths.ts';
import type {Site} from '../read/site.ts';
import {foot, pageHead} from './html/frame.ts';
import {crystal, layout, type Html} from './html/layout.ts';
import {catalogueOf, linkedData} from './html/linked-data.ts';
import {describe} from './html/words.ts';
import {howItWorks, programs} from './index/how-it-works.ts';
import {list, listPages, listPath} from './index/list.ts';
import {mediaType, related, type Page, type Paper} from './page.ts';
import preview from './preview.ts';

/** The first page: what is for sale, then how it works. It is complete without a script. A long list continues on further pages. */
const index: Page = {
  path: '/index.html',
  type: HTML_TYPE,
  relation: 'service-doc',

  compose(site, products, papers) {
    return listPages(products).map((cards, page, {length}) => {
      const section = list(cards, page, length, products.length);
      return page === 0
        ? {path: index.path, content: firstPage(site, papers, section)}
        : {path: listPath(page), content: furtherPage(site, section, listPath(page))};
    });
  },
};

export default index;

function firstPage(site: Site, papers: readonly Paper[], section: Html): string {
  return layout({
    title: site.title,
    description: describe(site),
    shown: {site, path: '/', image: preview.path},
    head: html`${links(site, papers)}${linkedData(catalogueOf(site))}`,
    body: html`<div class="page">
      <header class="hero">
        ${crystal}
        <h1>${site.title}</h1>
        <p class="lead">${describe(site)}</p>
      </header>
      <main>${section} ${howItWorks(site)} ${programs(papers)}</main>
      ${foot(site)}
    </div>`,
  });
}

function furtherPage(site: Site, section: Html, path: string): string {
  return layout({
    title: `For sale: ${site.title}`,
    description: describe(site),
    shown: {site, path, image: preview.path},
    body: html`<div class="page">
      ${pageHead(site)}
      <main>${section}</main>
      ${foot(site)}
    </div>`,
  });
}

/** Links in the head, each on a line. */
function links({title}: Site, papers: readonly Paper[]): Html[] {
  return related(papers, 'alternate', 'service-desc', 'api-catalog').map(paper => {
    const titled = paper.relation === 'alternate' && html`title="${title}" `;
    return html`<link rel="${paper.relation}" type="${mediaType(paper)}" ${titled}href="${paper.path}" /> `;
  });
}
