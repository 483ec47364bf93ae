import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import type {Html} from '../html/layout.ts';
import {dateWords} from '../html/words.ts';
import {summaryOf} from './caption.ts';

/**
 * One line about a product.
 *
 * @param href where the line leads: the product's part of the page, or its sample
 */
export function shelfLine(product: ProductRecord, href: string): Html {
  const {title, price, published} = product;
  const {as_of} = published;
  return html`<li>
    <a href="${href}">${title}</a>
    <span class="soft">${summaryOf(published)}</span>
    <time class="soft" datetime="${as_of}">${dateWords(as_of)}</time>
    <span class="price">${price.text}</span>
  </li>`;
}
