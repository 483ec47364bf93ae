/** The part of opentype.js that is used. Its published types would add the types of browsers. */
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
    /** 0 if the font lacks the character. */
    charToGlyphIndex(character: string): number;
    charToGlyph(character: string): Glyph;
  }

  export function parse(buffer: ArrayBuffer): Font;
}
