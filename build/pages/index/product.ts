import {html} from 'hono/html';
import type {ProductDocuments} from '../../documents/documents.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';
import {buying} from './buying.ts';
import {facts} from './facts.ts';
import {pictures} from './pictures.ts';
import {sample} from './sample.ts';

/** Everything about one product. */
export function product(site: Site, documents: ProductDocuments): Html {
  return html`<article class="product" id="${documents.computed.product.name}">
    ${facts(documents)}
    <div class="body">${pictures(documents.computed)} ${sample(site, documents)} ${buying(site, documents)}</div>
  </article>`;
}
