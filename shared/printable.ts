/** Controls, invisible characters (also those that turn the direction of writing), line separators, halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Text that a terminal shows as it is, on one line: names and values come from files and sites of others, and nothing in them may steer
 * a terminal or look like another line. What cannot be seen is written as JSON escapes it, e.g. `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, character => character.split('').map(escaped).join(''));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
