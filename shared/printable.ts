/**
 * Invisible characters, by Unicode property: control and format characters, lone surrogates, spaces, and characters that are not drawn if
 * the font has no glyph for them (Default_Ignorable_Code_Point). The others look like spaces but do not have this property: BRAILLE
 * PATTERN BLANK, MUSICAL SYMBOL NULL NOTEHEAD, EGYPTIAN HIEROGLYPH FULL and HALF BLANK, KHITAN SMALL SCRIPT FILLER.
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}`;

/** All invisible characters except the space. */
const INVISIBLE = new RegExp(`(?! )[${UNSEEN}]`, 'gu');

/** All invisible characters except the space, line ends and the colours that this program writes (SGR: bold, dim, foreground, and their ends). */
const IN_OUTPUT = new RegExp(String.raw`\r?\n|\u001b\[(?:[0-2]|22|3\d)m|(?! )[${UNSEEN}]`, 'gu');

/** Variation selectors, which choose a form of the character before them. */
const SELECTORS = String.raw`\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;

/**
 * Invisible characters that words of natural languages have after a visible one: joiners, hyphens, selectors, spaces, and signs that
 * enclose digits.
 */
const IN_WORDS = String.raw`\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200b-\u200d\u2060\u{110bd}\u{110cd}\p{Zs}${SELECTORS}`;

/** All invisible characters except spaces, line feeds and parts of words. */
const OUTSIDE_WORDS = new RegExp(`[${UNSEEN}](?<![ \\n])(?<!(?<=[^${UNSEEN}][${SELECTORS}]?)[${IN_WORDS}])`, 'gu');

/**
 * Returns text on one line that is safe for a terminal. Names and values come from untrusted files and sites, and must not control a
 * terminal, look like another line, or be hidden. Invisible characters are written as JSON escapes, for example `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(INVISIBLE, escaped);
}

/** Like `printable`, for text of several lines. JSON keeps its value. */
export function printableLines(text: string): string {
  return text.replaceAll(INVISIBLE, character => (character === '\n' ? character : escaped(character)));
}

/** Like `printable`, for the output of a command. Line ends and the colours of this program are unchanged. */
export function printableOutput(text: string): string {
  return text.replaceAll(IN_OUTPUT, found => (/[\nm]$/.test(found) ? found : escaped(found)));
}

/**
 * Returns a document for people with invisible characters written as JSON escapes, so that they cannot hide text or control another
 * program. JSON within it keeps its value. Line feeds are unchanged, and so is one joiner, variation selector or space after a visible
 * character, as in words of natural languages.
 */
export function withoutControls(document: string): string {
  return isPlain(document) ? document : document.replaceAll(OUTSIDE_WORDS, escaped);
}

/** True if a text has only visible ASCII characters, spaces and line feeds. Most texts do, and this test takes a tenth of the time. */
export function isPlain(text: string): boolean {
  return /^[\n -~]*$/.test(text);
}

/** Returns the error of a text with an invisible character, or undefined. Tabs and line ends are checked elsewhere. */
export function invisibleRule(text: string): string | undefined {
  const found = [...text.matchAll(INVISIBLE)].find(([character]) => !/[\t\n\r]/.test(character));
  if (!found) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has the invisible character U+${code} at position ${found.index + 1}`;
}

function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
