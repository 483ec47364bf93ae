/** What a JSON document tells of one product, and of nothing else: made when it is written, for that of many would fill the memory. */
export class Part {
  /** The product's name. */
  readonly of: string;
  readonly make: () => object;

  constructor(of: string, make: () => object) {
    [this.of, this.make] = [of, make];
  }
}

/** What the document told of a product, by its name, before; where it would tell the same again. */
export type Former = (product: string) => string | undefined;

/** Where a text stands in another, in characters. */
export type Place = readonly [start: number, length: number];

/** In place of a part: half a character, which no text of a document has. */
const HOLE = '\ud800';

/** A JSON document with parts: two-space indent, one final newline. */
export class InParts {
  /** Of each product's part, by its name, once it is written. */
  readonly places = new Map<string, Place>();
  readonly #value: object;

  /** @param value holds `Part`s, one of a product at most */
  constructor(value: object) {
    this.#value = value;
  }

  *pieces(former?: Former): Generator<string> {
    let written = 0;
    const parts: Part[] = [];
    for (const [index, before] of betweenParts(this.#value, parts).entries()) {
      yield before;
      written += before.length;
      const part = parts[index];
      if (!part) continue;
      const text = former?.(part.of) ?? indented(part.make(), before);
      this.places.set(part.of, [written, text.length]);
      yield text;
      written += text.length;
    }
  }
}

/** What stands before each part of a value, and after the last; the parts are added to `parts`. */
function betweenParts(value: object, parts: Part[]): string[] {
  const holed = (_: string, member: unknown) => (member instanceof Part && parts.push(member) ? HOLE : member);
  return `${JSON.stringify(value, holed, 2)}\n`.split(JSON.stringify(HOLE));
}

/** A value as it stands in a document behind this text: its lines begin as deep as the last one there. */
function indented(value: object, before: string): string {
  const [indent = ''] = /^ */.exec(before.slice(before.lastIndexOf('\n') + 1)) ?? [];
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
