import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {crystalShape, PREVIEW, textOf} from '../html/layout.ts';
import {linesOf, PITCH, type Weight} from './letters.ts';

const MARGIN = 56;
const TEXT = 25;
const INK = '#14212c';
const SOFT = '#516170';
const ACCENT = '#0b6485';

/** The words of a preview; those that the fonts cannot write are left out. */
export interface Preview {
  readonly above: string;
  readonly title: string;
  readonly text: string;
  readonly below: string;
}

/** Draws the image that a link is shown with, as PNG: the same bytes on every machine. */
export async function drawn({above, title, text, below}: Preview): Promise<Uint8Array> {
  const width = PREVIEW.width - 2 * MARGIN;
  const line = (words: string, weight: Weight, size: number, most = 1) => linesOf(words, weight, size, width, most);
  const path = (fill: string, data = '') => `<path fill="${fill}" d="${data}"/>`;
  const heading = line(title, 700, 54, 2);
  const top = MARGIN + 74;
  const textTop = top + (heading?.height ?? 0) + 14;
  const belowTop = PREVIEW.height - MARGIN - TEXT;
  const says = line(text, 400, TEXT, Math.floor((belowTop - textTop) / (TEXT * PITCH)));
  return rasterised(
    [
      '<rect width="100%" height="100%" fill="#f7f9fb"/>',
      `<g stroke="${ACCENT}" transform="translate(${MARGIN} ${MARGIN - 8}) scale(.75)">${textOf(crystalShape)}</g>`,
      path(SOFT, line(above, 400, TEXT)?.path(MARGIN + 64, MARGIN)),
      path(INK, heading?.path(MARGIN, top)),
      path(SOFT, says?.path(MARGIN, textTop)),
      path(ACCENT, line(below, 700, TEXT)?.path(MARGIN, belowTop)),
    ].join(''),
  );
}

const {resolve} = createRequire(import.meta.url);
/** Loaded by the first image: most builds find that nothing changed, and draw none. */
let loading: Promise<typeof import('@resvg/resvg-wasm')> | undefined;

async function load(): Promise<typeof import('@resvg/resvg-wasm')> {
  const resvg = await import('@resvg/resvg-wasm');
  await resvg.initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')));
  return resvg;
}

async function rasterised(shapes: string): Promise<Uint8Array> {
  const {Resvg} = await (loading ??= load());
  const {width, height} = PREVIEW;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`;
  const renderer = new Resvg(svg, {font: {loadSystemFonts: false}});
  const image = renderer.render();
  const png = image.asPng();
  image.free();
  renderer.free();
  return png;
}
