/**
 * Characters that are not visible, by Unicode property: control and format characters, lone surrogates, blanks, and characters that are not
 * drawn if the font has no glyph for them (Default_Ignorable_Code_Point). The rest look like blanks and have no such property: BRAILLE PATTERN BLANK,
 * MUSICAL SYMBOL NULL NOTEHEAD, EGYPTIAN HIEROGLYPH FULL and HALF BLANK, KHITAN SMALL SCRIPT FILLER.
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}`;

/** All invisible characters except the space. */
const INVISIBLE = new RegExp(`(?! )[${UNSEEN}]`, 'gu');

/** The same, unless it is a line end or a colour that this program writes itself (SGR: bold, dim, foreground, and their ends). */
const IN_OUTPUT = new RegExp(String.raw`\r?\n|\u001b\[(?:[0-2]|22|3\d)m|(?! )[${UNSEEN}]`, 'gu');

/** Variation selectors, which choose a form of the character before them. */
const SELECTORS = String.raw`\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;

/** What words of natural languages have after a visible character: joiners, hyphens, selectors, blanks, and signs that enclose digits. */
const IN_WORDS = String.raw`\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200b-\u200d\u2060\u{110bd}\u{110cd}\p{Zs}${SELECTORS}`;

/** All invisible characters except spaces, line feeds and parts of words. */
const OUTSIDE_WORDS = new RegExp(`[${UNSEEN}](?<![ \\n])(?<!(?<=[^${UNSEEN}][${SELECTORS}]?)[${IN_WORDS}])`, 'gu');

/**
 * Text that a terminal shows as it is, on one line: names and values come from files and sites of others, and nothing in them may steer
 * a terminal, look like another line, or be hidden. What cannot be seen is written as JSON escapes it, e.g. `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(INVISIBLE, escaped);
}

/** The same of a text of several lines. JSON stays the same JSON. */
export function printableLines(text: string): string {
  return text.replaceAll(INVISIBLE, character => (character === '\n' ? character : escaped(character)));
}

/** The same of what a command writes: line ends and the colours of this program stay. */
export function printableOutput(text: string): string {
  return text.replaceAll(IN_OUTPUT, found => (/[\nm]$/.test(found) ? found : escaped(found)));
}

/**
 * A document for people in which nothing steers a reader or another program, and no text is hidden; that is written as JSON escapes it, so
 * that JSON within it stays the same JSON. Line feeds stay, and after a visible character what words of natural languages have: one
 * joiner, variation selector or blank.
 */
export function withoutControls(document: string): string {
  return isPlain(document) ? document : document.replaceAll(OUTSIDE_WORDS, escaped);
}

/** True if a text has visible characters of ASCII, spaces and line feeds only. Most texts do, and this test takes a tenth of the time. */
export function isPlain(text: string): boolean {
  return /^[\n -~]*$/.test(text);
}

/** The rule that a text of the build's input breaks if it has an invisible character. Tabs and line ends are left to other rules. */
export function invisibleRule(text: string): string | undefined {
  const found = [...text.matchAll(INVISIBLE)].find(([character]) => !/[\t\n\r]/.test(character));
  if (!found) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has the invisible character U+${code} at position ${found.index + 1}: remove it, or write a space instead`;
}

function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
