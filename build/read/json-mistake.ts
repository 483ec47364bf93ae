import {createScanner, printParseErrorCode, type ParseError} from 'jsonc-parser';

/** What is wrong with a text that is not JSON. */
export interface Mistake {
  /** Where in the text. */
  readonly offset: number;
  readonly rule: string;
  /** Whether it is NaN or an infinity, which some writers of JSON have. */
  readonly isNumber?: boolean;
}

/** How other formats differ from JSON, by the text at the error. */
const KINDS: readonly (readonly [pattern: RegExp, rule: (found: string) => string])[] = [
  [/^[\u000b\u000c\u0085\u00a0\u1680\u2000-\u200b\u2028-\u202f\u205f\u3000\ufeff]/, found => `has the character U+${hex(found)} between its values, where JSON has spaces, tabs and line ends only: remove it`],
  [/^\/[/*]|^#/, () => 'has a comment, which JSON does not have: remove it'],
  [/^'/, () => 'has single quotation marks, as Python prints: JSON has double ones, as json.dumps writes'],
  [/^[`“”„‘’«»]/, found => `has the quotation mark ${found}, and JSON has " only`],
  [/^(None|True|False)\b/, found => `has ${found}, as Python prints: JSON has null, true and false, as json.dumps writes`],
  [/^undefined\b/, () => 'has undefined, which JSON does not have: write null'],
  [/^\+[\d.]/, () => 'has a number that starts with +, which JSON does not allow: remove the sign'],
  [/^-?\.\d/, () => 'has a number without a digit before its point, which JSON does not allow: write 0.5'],
  [/^-?\d+\.(?!\d)/, () => 'has a number without a digit after its point, which JSON does not allow: write 5.0'],
  [/^-?0[xX0-9]/, () => 'has a number that starts with 0 and another digit, which JSON does not allow: write it without, or as a text'],
  [/^-?\d+_\d/, () => 'has a number with an underscore, which JSON does not allow: remove it'],
  [/^;/, () => 'has a semicolon, which JSON does not have: write a comma, or nothing after the last value'],
  [/^[\w$]+\s*:/, () => 'has a name of a member without quotation marks, which JSON does not allow'],
  [/^[\p{L}_$][\p{L}\p{N}_$-]*/u, found => `has ${found} without quotation marks: write texts within them`],
]; // prettier-ignore

/** The rule of a text that has more than one value. */
export const AFTER_END = 'has text after the end of its value: remove it';

/** What the parser's errors mean, at their place. */
const RULES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'has a character here that JSON does not have: remove it, or write the value as a text in quotation marks',
  ValueExpected: 'lacks a value here',
  PropertyNameExpected: 'lacks the name of a member here, in quotation marks',
  UnexpectedEndOfString: 'has a text without its second quotation mark: add it on the same line',
  UnexpectedEndOfNumber: 'has a number that is not complete',
  InvalidNumberFormat: 'has a number that is not complete',
  EndOfFileExpected: AFTER_END,
  InvalidUnicode: 'has \\u without four hexadecimal digits after it',
  InvalidEscapeCharacter: 'has a backslash that starts no escape of JSON: write \\\\ for a backslash',
  InvalidCharacter: 'has a control character within a text: JSON writes a line end as \\n, and others as \\u and four digits',
}; // prettier-ignore

/** Explains the first error of the parser. The offset of the mistake is often before that of the error. */
export function mistakeOf(text: string, {error, offset}: ParseError): Mistake {
  const rest = text.slice(offset);
  const [number] = /^-?(NaN|Infinity|nan|inf)\b/.exec(rest) ?? /^(NaN|Infinity)/.exec(text.slice(offset + 1)) ?? [];
  if (number !== undefined) return {offset, rule: `has ${number}, which JSON does not have`, isNumber: true};
  const name = printParseErrorCode(error);
  if (name === 'InvalidCharacter') return {offset, rule: RULES[name] ?? name};
  // The error may be within a number or behind its sign.
  let sign = 0;
  while (/[-+.\d]/.test(text[offset - sign - 1] ?? '')) sign += 1;
  const before = text.slice(0, offset).trimEnd();
  const opened = openedIn(before);
  const isWord = /^[\p{L}\p{N}_$]/u.test(rest);
  if (isWord && text.slice(0, offset - sign).trim() !== '' && opened === undefined) return {offset, rule: AFTER_END};
  if (isWord && name === 'InvalidSymbol' && text[offset - 1] === '"')
    return {offset: offset - 1, rule: 'has a quotation mark within a text: write \\" for it'};
  for (const [pattern, rule] of KINDS)
    for (const start of [offset - sign, offset]) {
      const [found] = pattern.exec(text.slice(start)) ?? [];
      if (found !== undefined) return {offset: start, rule: rule(found)};
    }
  const isClosing = /^[\]}]/.test(rest);
  if (before.endsWith(',') && isClosing)
    return {offset: before.length - 1, rule: 'is not JSON: remove this comma: no value follows it'};
  const isUnclosed = name.startsWith('Close') || rest.trim() === '' || (name === 'CommaExpected' && isClosing);
  if (opened !== undefined && isUnclosed) {
    const closing = text[opened] === '{' ? '}' : ']';
    return {offset: opened, rule: `has a "${text[opened] ?? ''}" that is not closed: add "${closing}"`};
  }
  if (name === 'CommaExpected') return {offset: before.length, rule: 'is not JSON: a comma is missing here'};
  if (name === 'ColonExpected') return {offset: before.length, rule: 'lacks a colon after this name'};
  if (rest.startsWith(',')) return {offset, rule: 'is not JSON: remove this comma: there is no value before it'};
  return {offset, rule: RULES[name] ?? `is not JSON: ${name}`};
}

/** Where the innermost brace or bracket is that a text does not close. */
function openedIn(text: string): number | undefined {
  const scanner = createScanner(text, true);
  const opened: number[] = [];
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    const token = text[at] ?? ' ';
    if ('{['.includes(token)) opened.push(at);
    if ('}]'.includes(token)) opened.pop();
  }
  return opened.at(-1);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
