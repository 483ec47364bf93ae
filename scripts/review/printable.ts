const LONGEST = 2000;

/** Controls, invisible format characters (also those that turn the direction of text), line separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Text from data on one line, so that it can neither steer a terminal nor begin a line of its own: what cannot be seen is
 * written as an escape, e.g. `\u{1b}`. Empty text and text beyond 2,000 characters say so.
 */
export function printable(text: string): string {
  if (text === '') return '(empty)';
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
  return cut.replaceAll(UNPRINTABLE, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
