import type {InlineCode, Text} from 'mdast';
import {printable} from '../../shared/printable.ts';

/** A sentence. Data stands in code only, where no host of Markdown takes it for a link, a mention, an issue or HTML. */
export type Words = (Text | InlineCode)[];

/** A sentence from a template. Values that are filled in are data; nothing stands for one that is undefined. */
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

/** Text of our own, which is no data. */
export function own(text: string | Words): Words {
  if (typeof text !== 'string') return text;
  return text === '' ? [] : [{type: 'text', value: text}];
}

/** `a`, `b`, `c` and 4 more */
export function listed(values: readonly string[], most = Infinity): Words {
  const more = values.length - most;
  const names = values.slice(0, most).flatMap((value, index) => (index > 0 ? say`, ${value}` : say`${value}`));
  return more > 0 ? [...names, ...own(` and ${more} more`)] : names;
}

/** The sentence as plain text. */
export function plain(words: Words): string {
  return words.map(({value}) => value).join('');
}

const LONGEST = 2000;

/** Text from data, printable; empty text and text beyond 2,000 characters say so. */
export function shownText(text: string): string {
  if (text === '') return '(empty)';
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text);
}
