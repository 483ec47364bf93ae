import type {InlineCode, Text} from 'mdast';
import {printable} from '../../shared/printable.ts';

/** A sentence. Values from data are inline code, so Markdown does not turn them into links, mentions, issues or HTML. */
export type Words = (Text | InlineCode)[];

/** Creates a sentence from a template. Inserted values are data; undefined inserts nothing. */
export function say(
  pieces: TemplateStringsArray,
  ...values: readonly (string | number | boolean | null | undefined | Words)[]
): Words {
  return pieces.flatMap((piece, index) => {
    const value = values[index];
    if (Array.isArray(value)) return [...own(piece), ...value];
    return value === undefined ? own(piece) : [...own(piece), {type: 'inlineCode', value: shownText(String(value))}];
  });
}

/** Text of this program, which is trusted. */
export function own(text: string | Words): Words {
  if (typeof text !== 'string') return text;
  return text === '' ? [] : [{type: 'text', value: text}];
}

/** `a`, `b`, `c` and 4 more. */
export function listed(values: readonly string[], most = Infinity): Words {
  const more = values.length - most;
  const names = values.slice(0, most).flatMap((value, index) => (index > 0 ? say`, ${value}` : say`${value}`));
  return more > 0 ? [...names, ...own(` and ${more} more`)] : names;
}

/** Returns the sentence as plain text. */
export function plain(words: Words): string {
  return words.map(({value}) => value).join('');
}

const LONGEST = 2000;

/** Makes text from data printable. Marks empty text, and cuts text after 2,000 characters. */
export function shownText(text: string): string {
  if (text === '') return '(empty)';
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text);
}
