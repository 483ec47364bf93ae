import {html} from 'hono/html';
import {shareOf, type Picture} from '../../kinds/figures/picture.ts';
import type {Html} from '../html/layout.ts';
import {numberWords} from '../html/words.ts';
import {captionOf, partsInWords} from './caption.ts';
import {swatchesOf} from './swatches.ts';

const MOST_DOTS = 50;
const A_ROW = 25;

/** A dot for each of a few; for many, fifty dots that are shared out among the parts. */
export function dots(picture: Picture, id: string): Html {
  const {total} = shareOf(picture);
  const drawn = Math.min(total, MOST_DOTS);
  const pitch = drawn > 10 ? 22 : 36;
  const radius = pitch * 0.36;
  const columns = Math.min(drawn, A_ROW);
  const [width, height] = [Math.max(columns, 1) * pitch, Math.max(Math.ceil(drawn / A_ROW), 1) * pitch];
  const circles = Array.from({length: drawn}, (_, index) => {
    const x = ((index % A_ROW) + 0.5) * pitch;
    const y = (Math.floor(index / A_ROW) + 0.5) * pitch;
    return html`<circle
      class="${swatchAt(picture, ((index + 0.5) / drawn) * total)}"
      cx="${x}"
      cy="${y}"
      r="${radius}"
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
