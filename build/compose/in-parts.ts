import type {ProductDocuments} from './documents.ts';

/** What a JSON document tells of one product, and of nothing else: made when it is written, for that of many would fill the memory. */
export class Part {
  readonly of: ProductDocuments;
  readonly make: () => object;

  constructor(of: ProductDocuments, make: () => object) {
    [this.of, this.make] = [of, make];
  }
}

/** What the document told of a product before, where it would tell the same again. */
export type Former = (documents: ProductDocuments) => string | undefined;

/** Where a text stands in another, in characters. */
export type Place = readonly [start: number, length: number];

/** How many characters are handed on at a time, at least: what is short is soon forgotten again. */
const BATCH = 1 << 15;
/** In place of a part: half a character, which no text of a document has. */
const HOLE = '\ud800';

/** A JSON document with parts: two-space indent, one final newline. */
export class InParts {
  /** Of each product's part, once it is written. */
  readonly places = new Map<ProductDocuments, Place>();
  readonly #value: object;

  /** @param value holds `Part`s, one of a product at most */
  constructor(value: object) {
    this.#value = value;
  }

  *pieces(former: Former): Generator<string> {
    let [written, waiting] = [0, ''];
    const parts: Part[] = [];
    for (const [index, before] of betweenParts(this.#value, parts).entries()) {
      waiting += before;
      const part = parts[index];
      if (part) {
        const text = former(part.of) ?? indented(part.make(), before);
        this.places.set(part.of, [written + waiting.length, text.length]);
        waiting += text;
      }
      if (waiting.length < BATCH) continue;
      yield waiting;
      written += waiting.length;
      waiting = '';
    }
    yield waiting;
  }
}

/** What stands before each part of a value, and after the last; the parts are added to `parts`. */
function betweenParts(value: object, parts: Part[]): string[] {
  const holed = (_: string, member: unknown) => (member instanceof Part && parts.push(member) ? HOLE : member);
  return `${JSON.stringify(value, holed, 2)}\n`.split(JSON.stringify(HOLE));
}

/** A value as it stands in a document behind this text: that deep inside lists, of which nothing is left. */
function indented(value: object, before: string): string {
  const [{length: indent} = ''] = /^ */.exec(before.slice(before.lastIndexOf('\n') + 1)) ?? [];
  const depth = indent / 2;
  let nested = value;
  for (let level = 0; level < depth; level++) nested = [nested];
  // `[`, a line end and the indent of the next line for each level; a line end, an indent and `]`.
  return JSON.stringify(nested, null, 2).slice(depth * (depth + 3), -depth * (depth + 1) || undefined);
}
