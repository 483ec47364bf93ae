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

/** How many characters are handed on at a time. */
const BATCH = 1 << 18;
/** In place of a part: half a character, which no text of a document has. */
const HOLE = '\ud800';

/** A JSON document with parts: two-space indent, one final newline. */
export class InParts {
  /** Of each product's part, once it is written. */
  readonly places = new Map<ProductDocuments, Place>();
  readonly #parts: Part[] = [];
  /** What stands before each part, and after the last. */
  readonly #between: readonly string[];

  /** @param value holds `Part`s, one of a product at most */
  constructor(value: object) {
    const text = JSON.stringify(
      value,
      (_, member: unknown) => (member instanceof Part ? this.#hole(member) : member),
      2,
    );
    this.#between = `${text}\n`.split(JSON.stringify(HOLE));
  }

  *pieces(former: Former): Generator<string> {
    let [written, waiting] = [0, ''];
    for (const [index, before] of this.#between.entries()) {
      waiting += before;
      const part = this.#parts[index];
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

  #hole(part: Part): string {
    this.#parts.push(part);
    return HOLE;
  }
}

/** A value as it stands in a document behind this text. */
function indented(value: object, before: string): string {
  const [indent = ''] = /^ */.exec(before.slice(before.lastIndexOf('\n') + 1)) ?? [];
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
