import {html} from 'hono/html';
import {ratioOf, sum} from '../../kinds/figures/counts.ts';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {captionOf, coordinate, numberWords, partsInWords, percentWords} from '../html/words.ts';

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

const MOST_DOTS = 50;
const A_ROW = 25;

/** A dot for each of a few; for many, fifty dots that are shared out among the parts. */
export function dots(picture: Picture, id: string): Html {
  const {total} = shareOf(picture);
  const drawn = Math.min(total, MOST_DOTS);
  const pitch = drawn > 10 ? 22 : 36;
  const [columns, rows] = [Math.min(drawn, A_ROW), Math.ceil(drawn / A_ROW)];
  const [width, height] = [columns, rows].map(number => Math.max(number, 1) * pitch);
  const circles = Array.from({length: drawn}, (_, index) => {
    const x = ((index % A_ROW) + 0.5) * pitch;
    const y = (Math.floor(index / A_ROW) + 0.5) * pitch;
    return html`<circle
      class="${swatchAt(picture, ((index + 0.5) / drawn) * total)}"
      cx="${x}"
      cy="${y}"
      r="${pitch * 0.36}"
    />`;
  });
  return html`<svg
      class="dots"
      role="img"
      aria-labelledby="${id}-title ${id}-desc"
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      height="${height}"
    >
      <title id="${id}-title">${captionOf(picture)}</title>
      <desc id="${id}-desc">${partsInWords(picture)}</desc>
      ${circles}
    </svg>
    ${total > MOST_DOTS && html`<p class="claim">Each dot is 2% of ${numberWords(total)} ${picture.unit}.</p>`}`;
}

/** The style of the part that holds a place, where the parts lie one after the other from 0 to the total. */
function swatchAt(picture: Picture, place: number): string | undefined {
  const swatches = swatchesOf(picture);
  let end = 0;
  return swatches[picture.parts.findIndex(({n}) => place < (end += n))];
}

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

const OTHERS = ['part-1', 'part-2', 'part-3'];

/**
 * The style class of each part of a picture: what is claimed is coloured, the rest is grey. Parts are also told by their
 * order, which the legend shares, so that nobody has to tell greys apart.
 */
function swatchesOf({shape, parts}: Picture): string[] {
  const others = parts.filter(part => !part.claimed);
  const firstClaimed = parts.find(part => part.claimed);
  return parts.map(part => {
    if (part.claimed) return part === firstClaimed ? 'claimed' : 'claimed-too';
    return shape === 'dots' ? 'other' : (OTHERS[others.indexOf(part) % OTHERS.length] ?? 'other');
  });
}
