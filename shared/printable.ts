/** Controls, invisible characters (also those that turn the direction of writing), line separators, halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Text that a terminal shows as it is, on one line: names and values come from files and sites of others, and nothing in them may steer
 * a terminal or look like another line. What cannot be seen is written as JSON escapes it, e.g. `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, character => character.split('').map(escaped).join(''));
}

/** Controls without the line feed, line separators, halves of characters, and what turns the direction of writing. */
const STEERING = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A document for people in which no character steers a reader or another program, line feeds apart; they are written as JSON escapes them,
 * so that JSON within it stays the same JSON. Joiners and other invisible parts of words stay as they are.
 */
export function withoutControls(document: string): string {
  return document.replaceAll(STEERING, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
