import {html} from 'hono/html';
import type {ProductDocuments} from '../../documents/documents.ts';
import type {Html} from '../html/layout.ts';
import {dateWords} from '../html/words.ts';
import {summaryOf} from './caption.ts';

/**
 * One line about a product.
 *
 * @param href where the line leads: the product's part of the page, or its sample
 */
export function shelfLine({computed: {product, snapshot}}: ProductDocuments, href: string): Html {
  const {content, as_of} = snapshot;
  return html`<li>
    <a href="${href}">${product.title}</a>
    <span class="soft">${summaryOf(content)}</span>
    <time class="soft" datetime="${as_of}">${dateWords(as_of)}</time>
    <span class="price">${product.price}</span>
  </li>`;
}
