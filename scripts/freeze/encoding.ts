import {isUtf8} from 'node:buffer';
import {analyse} from 'chardet';
import type {Fault} from '../../shared/fault.ts';
import {quoted} from '../../shared/command-line.ts';
import {NOT_UTF8} from '../../build/rows/faults/in-text.ts';
import {chunksOf, textLines} from '../../build/rows/lines.ts';

/** How many bytes of lines that are not UTF-8 are enough to guess the encoding. */
const ENOUGH_BYTES = 1 << 16;
/** The most common encoding apart from Unicode; a superset of the printable ISO-8859-1. */
const USUAL = 'WINDOWS-1252';
/** The encoding of spreadsheets that were saved for older versions of macOS, whose lines end with CR. */
const MAC = 'MACINTOSH';
/** Bytes that USUAL does not define. */
const NOT_USUAL = /[\x81\x8d\x8f\x90\x9d]/;
/** Adjacent bytes that are not ASCII, in a string with one character for each byte (latin-1). */
const WORDS = /[\x80-\xff]+/g;
/** Single-byte encodings for Cyrillic, Greek, Hebrew and Arabic. Few of their letters are bytes below 0xa0. */
const NOT_LATIN = /^(KOI8|ISO-8859-[5-8]|windows-125[1356])/i;

/**
 * Returns the same errors. The first one of each file that is not UTF-8 also says which encoding is likely, if one is, and the command
 * that converts it, or that other words of the file are UTF-8. File paths are relative to the root.
 *
 * @param nameOf the name of a file in that command
 */
export async function withEncodings(
  faults: readonly Fault[],
  root: string,
  nameOf: (file: string) => string,
): Promise<Fault[]> {
  const seen = new Set<string>();
  const advised: Fault[] = [];
  for (const fault of faults) {
    const {file = '', rule} = fault;
    const isFirst = rule === NOT_UTF8 && !seen.has(file);
    if (isFirst) seen.add(file);
    const encoding = isFirst ? await encodingOf(root, file) : undefined;
    const advice = encoding === 'mixed' ? MIXED : encoding !== undefined && adviceFor(nameOf(file), encoding);
    advised.push(advice ? {...fault, ...advice} : fault);
  }
  return advised;
}

/** Detects UTF-32 or UTF-16 by the byte order mark, and UTF-16 by NUL in every second byte, as in Latin text. */
export function wideUnicodeIn(head: Buffer): string | undefined {
  if (['fffe0000', '0000feff'].includes(head.toString('hex', 0, 4))) return 'UTF-32';
  const start = head.toString('hex', 0, 2);
  if (start === 'fffe' || start === 'feff') return 'UTF-16';
  const nulsAt = (parity: number) => head.filter((byte, index) => index % 2 === parity && byte === 0).length;
  const [even, odd] = [nulsAt(0), nulsAt(1)];
  if (Math.max(even, odd) < head.length / 4 || Math.min(even, odd) > head.length / 50) return undefined;
  return odd > even ? 'UTF-16LE' : 'UTF-16BE';
}

/** A conversion would change the words that are right. */
const MIXED: Pick<Fault, 'rule' | 'fix'> = {
  rule: `${NOT_UTF8}, although other words of the file are UTF-8`,
  fix: 'Correct these bytes in your list, or convert the part of the list that they come from.',
};

function adviceFor(file: string, encoding: string): Pick<Fault, 'rule' | 'fix'> {
  const [, name = '', extension = ''] = /([^/]*?)(\.[^/.]*)(?:\.gz)?$/.exec(file) ?? [];
  const convert = `iconv -f ${encoding} -t UTF-8`;
  const line = file.endsWith('.gz') ? `gzip -dc ${quoted(file)} | ${convert}` : `${convert} ${quoted(file)}`;
  const command = `${line} > ${quoted(`${name}-utf8${extension}`)}`;
  return {rule: `${NOT_UTF8}, and looks like ${encoding}`, fix: `Convert it with \`${command}\`.`};
}

/** Returns the likely encoding of a file that is not UTF-8, `mixed` if at least half of its words are UTF-8, or undefined. */
async function encodingOf(root: string, file: string): Promise<string | undefined> {
  let isMac = false;
  for await (const head of chunksOf(root, file)) {
    const wide = wideUnicodeIn(head);
    if (wide !== undefined) return wide;
    isMac = head.includes('\r') && !head.includes('\n');
    break;
  }
  const {text, isMixed} = await linesNotUtf8(root, file);
  if (isMixed) return 'mixed';
  // The text has invalid bytes, so it is not UTF-8. The lowest confidence, 10, is only a guess.
  const isLatin = !hasHighWords(text);
  if (isMac && isLatin) return MAC;
  const isUnlikely = isLatin || hasManyLowBytes(text);
  const isPossible = (name: string) => !/^(UTF-|ASCII)/.test(name) && !(isUnlikely && NOT_LATIN.test(name));
  const best = analyse(text).find(({name, confidence}) => confidence > 10 && isPossible(name))?.name;
  if (best !== undefined && !/^(ISO-8859-1|windows-1252)$/.test(best)) return best.toUpperCase();
  // With USUAL, words of another script would become wrong texts, which no later check would report.
  return isLatin && !NOT_USUAL.test(text.toString('latin1')) ? USUAL : undefined;
}

/** True if most bytes above ASCII are adjacent, as in words of a script without Latin letters. */
function hasHighWords(text: Buffer): boolean {
  const isHigh = (at: number) => (text[at] ?? 0) >= 0x80;
  const high = [...text.keys()].filter(isHigh);
  return high.filter(at => isHigh(at - 1) || isHigh(at + 1)).length > high.length / 2;
}

/** True if more than a third of the bytes above ASCII are below 0xa0, as in Japanese, whose lead bytes are there. */
function hasManyLowBytes(text: Buffer): boolean {
  const high = text.filter(byte => byte >= 0x80);
  return high.filter(byte => byte < 0xa0).length > high.length / 3;
}

/**
 * Returns the first lines of a file that are not UTF-8, up to ENOUGH_BYTES. `isMixed` is true if at least half of all its words that are not
 * ASCII are UTF-8. Whole words are compared, because parts of words in other encodings can look like UTF-8.
 */
async function linesNotUtf8(root: string, file: string): Promise<{readonly text: Buffer; readonly isMixed: boolean}> {
  const lines: Buffer[] = [];
  let [length, valid, invalid] = [0, 0, 0];
  for await (const {text} of textLines(root, file)) {
    const words = text.match(WORDS) ?? [];
    const whole = words.filter(word => isUtf8(Buffer.from(word, 'latin1'))).length;
    valid += whole;
    invalid += words.length - whole;
    if (whole === words.length || length >= ENOUGH_BYTES) continue;
    const line = Buffer.from(text, 'latin1');
    lines.push(line);
    length += line.length;
  }
  return {text: Buffer.concat(lines), isMixed: valid >= invalid};
}
