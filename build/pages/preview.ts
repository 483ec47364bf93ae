import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {crystalShape} from './assets.ts';
import {PREVIEW} from './html/layout.ts';
import {parse, type Font} from 'opentype.js';
import {describe} from './html/words.ts';
import type {Page} from './page.ts';

const MARGIN = 56;
const TEXT = 25;
const INK = '#14212c';
const SOFT = '#516170';
const ACCENT = '#0b6485';

/** The link preview image. */
export default {
  path: PREVIEW.path,
  type: 'image/png',
  compose: site => previewOf(site.title, describe(site), new URL(site.base_url).host),
} satisfies Page;

/** The images that this process has drawn, by their words. `frozen dev` builds a site repeatedly, and drawing takes a fifth of a build. */
const images = new Map<string, Promise<Uint8Array>>();

function previewOf(...words: Parameters<typeof drawn>): Promise<Uint8Array> {
  const key = JSON.stringify(words);
  const image = images.get(key) ?? drawn(...words);
  images.set(key, image);
  // The next build tries again.
  image.catch(() => images.delete(key));
  return image;
}

/** Draws the preview as PNG, with the same bytes on every machine. A line that the fonts cannot write is left out. */
async function drawn(title: string, description: string, host: string): Promise<Uint8Array> {
  const width = PREVIEW.width - 2 * MARGIN;
  const line = (words: string, weight: Weight, size: number, most = 1) => layOut(words, weight, size, width, most);
  const path = (fill: string, data = '') => `<path fill="${fill}" d="${data}"/>`;
  const heading = line(title, 700, 54, 2);
  const top = MARGIN + 74;
  const textTop = top + (heading?.height ?? 0) + 14;
  const belowTop = PREVIEW.height - MARGIN - TEXT;
  const says = line(description, 400, TEXT, Math.floor((belowTop - textTop) / (TEXT * PITCH)));
  return rasterised(
    [
      '<rect width="100%" height="100%" fill="#f7f9fb"/>',
      `<g stroke="${ACCENT}" transform="translate(${MARGIN} ${MARGIN - 8}) scale(.75)">${crystalShape}</g>`,
      path(INK, heading?.path(MARGIN, top)),
      path(SOFT, says?.path(MARGIN, textTop)),
      path(ACCENT, line(host, 700, TEXT)?.path(MARGIN, belowTop)),
    ].join(''),
  );
}

const {resolve} = createRequire(import.meta.url);
/** Loaded with the first image, because most builds draw none. */
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

/** The line height, as a multiple of the font size. */
const PITCH = 1.25;

/** The subsets of Inter, by script, for Latin, Greek and Cyrillic. */
const SCRIPTS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext'] as const;

type Weight = 400 | 700;

/** Each font is read on first use. */
const fonts = new Map<string, Font>();

function fontOf(character: string, weight: Weight): Font | undefined {
  for (const script of SCRIPTS) {
    const file = `@fontsource/inter/files/inter-${script}-${weight}-normal.woff`;
    const font = fonts.get(file) ?? parse(new Uint8Array(readFileSync(resolve(file))).buffer);
    fonts.set(file, font);
    if (font.charToGlyphIndex(character) > 0) return font;
  }
  return undefined;
}

/** A glyph: its outline at a position, and its advance width. */
interface Letter {
  readonly advance: number;
  readonly outline: (x: number, y: number) => string;
}

/**
 * Lays out a text on at most `most` lines. A text that does not fit ends in "…". The result is the same on every machine, because the fonts
 * are part of the package. Undefined if the fonts lack a letter of the text, which would be unreadable without it.
 */
function layOut(text: string, weight: Weight, size: number, width: number, most: number) {
  const words = text
    .normalize('NFC')
    .split(/\s+/u)
    .map(word => lettersOf(word, weight, size));
  const [space, dots] = [lettersOf(' ', weight, size) ?? [], lettersOf('…', weight, size) ?? []];
  const lines: Letter[][] = [[]];
  for (const word of words) {
    if (!word) return undefined;
    if (word.length === 0) continue;
    const line = lines.at(-1) ?? [];
    const further = [...line, ...(line.length > 0 ? space : []), ...word];
    if (line.length === 0 || lengthOf(further) <= width) lines.splice(-1, 1, further);
    else lines.push(word);
  }
  const shown = lines.slice(0, most).map((line, index) => {
    const isCut = index === most - 1 && lines.length > most;
    return isCut || lengthOf(line) > width ? [...cut(line, width - lengthOf(dots)), ...dots] : line;
  });
  const pitch = size * PITCH;
  /** Path data of the text at `x`, below `top`. */
  const path = (x: number, top: number) =>
    shown.map((line, index) => outlineOf(line, x, top + size + index * pitch)).join('');
  return {height: shown.length * pitch, path};
}

/** The glyphs of a word, without signs that the fonts lack. Undefined if they lack a letter or digit. */
function lettersOf(word: string, weight: Weight, size: number): Letter[] | undefined {
  const letters: Letter[] = [];
  for (const character of word) {
    const font = fontOf(character, weight);
    if (!font && /[\p{L}\p{M}\p{N}]/u.test(character)) return undefined;
    if (!font) continue;
    const glyph = font.charToGlyph(character);
    letters.push({
      advance: ((glyph.advanceWidth ?? 0) * size) / font.unitsPerEm,
      outline: (x, y) => glyph.getPath(x, y, size).toPathData(1),
    });
  }
  return letters;
}

function lengthOf(letters: readonly Letter[]): number {
  return letters.reduce((length, {advance}) => length + advance, 0);
}

function cut(letters: readonly Letter[], width: number): readonly Letter[] {
  return lengthOf(letters) <= width ? letters : cut(letters.slice(0, -1), width);
}

function outlineOf(letters: readonly Letter[], x: number, y: number): string {
  return letters.map(({outline}, index) => outline(x + lengthOf(letters.slice(0, index)), y)).join('');
}
