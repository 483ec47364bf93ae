import type {Random} from './random.ts';

export type ListRow = Readonly<Record<string, string | number | boolean | null>>;

export const CLASSES: readonly string[] = ['fraud', 'it\'s, "quoted"', 'soft_fail', 'déjà vu 🦆', 'NULL', 'true'];

/** Characters that are difficult for parsers. No spaces, so that they can be in an address. */
const CHARACTERS = [
  '"',
  "'",
  ',',
  ';',
  '|',
  '\\',
  '/',
  '`',
  '{',
  '}',
  '[',
  ']',
  ':',
  '-',
  '#',
  '%',
  '$',
  '=',
  '&',
] as const;
const LETTERS = [
  'a',
  'Z',
  '0',
  'é',
  'ß',
  '中',
  '🦆',
  '👩‍👩‍👧',
  '\u{10ffff}',
  '\uffee',
  '\u0301',
  '\u202e',
  '\u00ad',
] as const;
const SPACES = [' ', '  ', '\n', '\r\n', '\n\n', '\t', '\u00a0', '\u2028', '\r\n\r\n'] as const;
const WORDS = ['null', 'NULL', 'NaN', 'true', '0', '-1', '1e5', '""', '\\N', 'url,class', '__proto__', '=1+1'] as const;

/** Unescaped characters of an address (RFC 3986). */
const UNESCAPED = ["'", ',', ';', ':', '-', '&', '=', '$', '%22', '%0A', '/', '?', '!', '*', '(', '~'] as const;

/**
 * A list of up to 40 rows with difficult texts. Addresses in examples have to follow RFC 3986, so they are simpler.
 */
export function randomList(random: Random, shown: boolean): ListRow[] {
  const length = random.chance(0.1) ? 0 : random.below(40);
  const rows = Array.from({length}, (_, index) => randomRow(random, index, shown));
  return random.chance(0.3)
    ? rows.map((row, index) => (index === length - 1 ? {...row, note: longText(random)} : row))
    : rows;
}

/** Longer than the chunk that is read at a time, and sometimes nearly as long as the limit of a record. */
function longText(random: Random): string {
  const part = text(random);
  return part.repeat(Math.floor((random.pick([70_000, 270_000, 480_000]) / Buffer.byteLength(part)) * 0.9));
}

function randomRow(random: Random, index: number, shown: boolean): ListRow {
  const first = timestampOf(random);
  return {
    url: `https://${characters(random, ['a', 'B', '0', 'x1'], 4)}${index}.example/${characters(random, shown ? UNESCAPED : [...CHARACTERS, ...LETTERS], 6)}`,
    class: CLASSES[random.below(CLASSES.length)] ?? 'fraud',
    first,
    last: random.chance(0.5) ? first : timestampOf(random),
    claimed: random.chance(0.5),
    note: random.chance(0.2) ? null : text(random),
    "n'; --, t0": random.chance(0.2) ? null : (random.below(2 ** 31) - 2 ** 30) * random.pick([1, 2 ** 20, 0]) || 0,
    filename: random.chance(0.2) ? null : numberOf(random),
    seen: random.chance(0.2) ? null : timestampOf(random).slice(0, 10),
  };
}

/** Never empty, because CSV cannot distinguish an empty text from a missing one. */
function text(random: Random): string {
  if (random.chance(0.2)) return random.pick(WORDS);
  return characters(random, [...CHARACTERS, ...LETTERS, ...SPACES], 12) || 'x';
}

function characters(random: Random, from: readonly string[], most: number): string {
  return Array.from({length: random.below(most)}, () => from[random.below(from.length)]).join('');
}

function numberOf(random: Random): number {
  const digits = random.below(2 ** 31) / random.pick([1, 3, 7, 1000, 2 ** 31]);
  return digits * random.pick([1, -1, 1e-9, 1e21, 1e290, 1e-310]) || 0;
}

function timestampOf(random: Random): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${1990 + random.below(40)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
  return `${day} ${two(random.below(24))}:${two(random.below(60))} ET`;
}
