/** What is used of opentype.js; its published types bring those of browsers with them. */
declare module 'opentype.js' {
  interface Path {
    toPathData(decimals: number): string;
  }

  interface Glyph {
    readonly advanceWidth?: number;
    getPath(x: number, y: number, size: number): Path;
  }

  export interface Font {
    readonly unitsPerEm: number;
    /** 0 where the font lacks it. */
    charToGlyphIndex(character: string): number;
    charToGlyph(character: string): Glyph;
  }

  export function parse(buffer: ArrayBuffer): Font;
}
