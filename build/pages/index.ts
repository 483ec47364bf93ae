import {html} from 'hono/html';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';
import {layout, type Html} from './html/layout.ts';
import {describe} from './html/words.ts';
import {article} from './index/article.ts';
import {buying} from './index/buying.ts';
import {datasetOf, linkedData} from './index/dataset.ts';
import {foot, hero, programs, smallHead} from './index/frame.ts';
import {haveOwnPages, ownPage} from './index/own-page.ts';
import {listPage, search, shelf, shelvesOf} from './index/shelf.ts';
import {mediaType, related, type Page, type Paper} from './page.ts';
import preview from './preview.ts';

/**
 * The shop window: one page for people, complete without a script. Where products have pages of their own it is a list of them, on as
 * many pages as it takes.
 */
const index: Page = {
  path: '/index.html',
  type: 'text/html; charset=utf-8',
  relation: 'service-doc',

  compose(site, products, papers) {
    const own = haveOwnPages(products);
    const shelves = shelvesOf(products, own ? ownPage : name => `#${name}`);
    const [first = [], ...others] = shelves;
    const list = shelf(first, 0, shelves.length, own ? search(products.length) : undefined);
    const further = others.map((lines, index) => shelf(lines, index + 1, shelves.length));
    return [
      {path: index.path, content: firstPage(site, papers, list, own ? [] : products)},
      ...further.map((list, index) => furtherPage(site, papers, list, listPage(index + 1))),
    ];
  },
};

export default index;

/** @param whole the products that stand on the page with all that there is to say about them */
function firstPage(site: Site, papers: readonly Paper[], list: Html, whole: readonly ProductRecord[]): string {
  const datasets = whole.map(product => datasetOf(site, product, `/#${product.name}`));
  return layout(papers, {
    title: site.title,
    description: describe(site),
    shown: {site, path: '/', image: preview.path},
    head: html`${links(site, papers)}${linkedData(site, datasets)}`,
    body: html`<div class="page">
      ${hero(site)}
      <main>${list} ${whole.map(article)} ${buying(site, whole)} ${programs(papers)}</main>
      ${foot(site)}
      <p class="unseen" role="status" id="copy-status"></p>
    </div>`,
  });
}

function furtherPage(site: Site, papers: readonly Paper[], list: Html, path: string) {
  const content = layout(papers, {
    title: `What is for sale: ${site.title}`,
    description: describe(site),
    shown: {site, path, image: preview.path},
    body: html`<div class="page">
      ${smallHead(site)}
      <main>${list}</main>
      ${foot(site)}
    </div>`,
  });
  return {path, content};
}

/** Links of the head, each on a line. */
function links({title}: Site, papers: readonly Paper[]): (Html | string)[] {
  const linked = related(papers, 'alternate', 'service-desc', 'api-catalog').map(paper => {
    const titled = paper.relation === 'alternate' && html`title="${title}" `;
    return html`<link rel="${paper.relation}" type="${mediaType(paper)}" ${titled}href="${paper.path}" />`;
  });
  return linked.flatMap(link => [link, '\n        ']);
}
