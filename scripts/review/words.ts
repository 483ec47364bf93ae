import {seenText} from '../../shared/english.ts';
import {printable} from '../../shared/printable.ts';

/** A sentence: texts of this program, and data, which Markdown shows as code so that it cannot be a link, mention, issue or HTML. */
export type Words = readonly (string | {readonly data: string})[];

/** Creates a sentence from a template. Inserted values are data; undefined inserts nothing. */
export function say(
  pieces: TemplateStringsArray,
  ...values: readonly (string | number | boolean | null | undefined | Words)[]
): Words {
  return pieces.flatMap((piece, index) => {
    const value = values[index];
    if (value === undefined) return [piece];
    return typeof value === 'object' && value !== null ? [piece, ...value] : [piece, {data: shownText(String(value))}];
  });
}

/** Text of this program, which is trusted. */
export function own(text: string | Words): Words {
  return typeof text === 'string' ? [text] : text;
}

/** `a`, `b`, `c` and 4 more. */
export function listed(values: readonly string[], most = Infinity): Words {
  const more = values.length - most;
  const names = values.slice(0, most).flatMap((value, index) => (index > 0 ? say`, ${value}` : say`${value}`));
  return more > 0 ? [...names, ` and ${more} more`] : names;
}

/** Returns a sentence as plain text, with its data unmarked. */
export function plain(words: Words): string {
  return words.map(part => (typeof part === 'string' ? part : part.data)).join('');
}

const LONGEST = 2000;

/** Makes text from data printable. Marks empty text, and cuts text after 2,000 characters. */
export function shownText(text: string): string {
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : seenText(text));
}
