import {html} from 'hono/html';
import {sum} from '../../kinds/figures/counts.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {captionOf, partsInWords} from './caption.ts';
import {coordinate} from './coordinate.ts';
import {swatchesOf} from './swatches.ts';

/** The parts of a whole side by side in one bar. Lengths are in percent, so that the bar fits every screen. */
export function bar(picture: Picture, id: string): Html {
  const {total} = shareOf(picture);
  const swatches = swatchesOf(picture);
  const percent = (n: number) => `${coordinate(total === 0 ? 0 : (n / total) * 100)}%`;
  const rects = picture.parts.map(({n}, index) => {
    const before = sum(picture.parts.slice(0, index).map(part => part.n));
    return html`<rect class="${swatches[index]}" x="${percent(before)}" y="0" width="${percent(n)}" height="100%" />`;
  });
  return html`<svg class="bar" role="img" aria-labelledby="${id}-title ${id}-desc">
    <title id="${id}-title">${captionOf(picture)}</title>
    <desc id="${id}-desc">${partsInWords(picture)}</desc>
    ${rects}
  </svg>`;
}
