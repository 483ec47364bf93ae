import {html} from 'hono/html';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';
import {layout} from './html/layout.ts';
import {capitalised, dateWords} from './html/words.ts';
import {article} from './index/article.ts';
import {buying} from './index/buying.ts';
import {datasetOf, linkedData} from './index/dataset.ts';
import {foot, smallHead} from './index/frame.ts';
import {haveOwnPages, ownPage} from './index/own-page.ts';
import type {Page, PageFile, Paper} from './page.ts';
import preview from './preview.ts';

/** Each takes about 20 ms to draw, whenever a build changes anything: with more products their pages share that of the site. */
const MOST_IMAGES = 50;

/** A page for each product, where they do not all stand on one. */
export default {
  path: '/products/',
  type: 'text/html; charset=utf-8',
  async compose(site, products, papers) {
    if (!haveOwnPages(products)) return [];
    const image = products.length > MOST_IMAGES ? () => preview.path : imagePath;
    const pages = products.map(product => ({
      path: ownPage(product.name),
      content: pageOf(site, product, papers, image(product.name)),
    }));
    const images =
      products.length > MOST_IMAGES ? [] : await Promise.all(products.map(product => imageOf(site, product)));
    return [...pages, ...images];
  },
} satisfies Page;

function imagePath(name: string): string {
  return `/products/${name}.png`;
}

/** What a link to the page of a product is shown with. */
async function imageOf(site: Site, {name, title, difference, price, published}: ProductRecord): Promise<PageFile> {
  const {drawn} = await import('./preview/draw.ts');
  const below = `${price.text} a request, as of ${dateWords(published.as_of)}`;
  const content = await drawn({above: site.title, title, text: `${capitalised(difference)}.`, below});
  return {path: imagePath(name), type: 'image/png', content};
}

function pageOf(site: Site, product: ProductRecord, papers: readonly Paper[], image: string): string {
  const {name, title, difference} = product;
  const path = ownPage(name);
  return layout(papers, {
    title: `${title}: ${site.title}`,
    description: `${capitalised(difference)}.`,
    shown: {site, path, image},
    head: linkedData(site, [datasetOf(site, product, path)]),
    body: html`<div class="page">
      ${smallHead(site)}
      <main>${article(product)} ${buying(site, [product])}</main>
      ${foot(site)}
      <p class="unseen" role="status" id="copy-status"></p>
    </div>`,
  });
}
