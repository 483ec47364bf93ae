import {html} from 'hono/html';
import {ratioOf} from '../../kinds/figures/counts.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {numberWords, percentWords} from '../html/words.ts';
import {swatchesOf} from './swatches.ts';

/** Every part in the order of the picture: its colour, name, number and share. */
export function legend(picture: Picture): Html {
  const {total} = shareOf(picture);
  const swatches = swatchesOf(picture);
  const items = picture.parts.map(
    ({label, n}, index) =>
      html`<li>
        ${swatch(picture, swatches[index])} <span>${label}</span> <b>${numberWords(n)}</b>
        ${picture.claim !== undefined && html`<span class="soft">${percentWords(ratioOf(n, total))}</span>`}
      </li> `,
  );
  return html`<ul class="legend">
    ${items}
  </ul>`;
}

function swatch({shape}: Picture, style = ''): Html {
  const mark =
    shape === 'dots'
      ? html`<circle class="${style}" cx="7" cy="7" r="5.5" />`
      : html`<rect class="${style}" width="14" height="14" rx="3" />`;
  return html`<svg viewBox="0 0 14 14" aria-hidden="true">${mark}</svg>`;
}
