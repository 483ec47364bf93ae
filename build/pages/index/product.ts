import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';
import {buying} from './buying.ts';
import {facts} from './facts.ts';
import {pictures} from './pictures.ts';
import {sample} from './sample.ts';

/** Everything about one product. */
export function product(site: Site, product: ProductRecord): Html {
  return html`<article class="product" id="${product.name}">
    ${facts(product)}
    <div class="body">${pictures(product)} ${sample(product)} ${buying(site, product)}</div>
  </article>`;
}
