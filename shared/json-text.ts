import {isUtf8} from 'node:buffer';
import {parseTree, type Node, type ParseError, createScanner, printParseErrorCode} from 'jsonc-parser';
import {InputError, refuse, type Fault} from './fault.ts';

/** The text of a JSON file, and its value. */
export interface JsonText {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** The tree with the position of every value. Parsed on first use, mostly for errors. */
  readonly tree: Node;
}

/** Decodes the bytes of a file. Throws `InputError` if there are none, or if they are not UTF-8. */
export function decode(file: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new InputError({code: 'FZ202', file, rule: 'is empty'});
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex(one => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new InputError({code: 'FZ104', file, line, rule: 'has bytes that are not UTF-8'});
}

/** Parses strict JSON without duplicate members. Throws `InputError` with the line of every error. */
export function parse(file: string, text: string): JsonText {
  const mark = 'starts with a byte order mark: save it without one';
  if (text.startsWith('\ufeff')) throw new InputError({code: 'FZ104', file, line: 1, rule: mark});
  const written = valueAsWritten(text);
  if (written !== undefined) return withTree(file, text, written);
  try {
    const tree = jsonTree(file, text);
    refuse(memberFaults(file, text, tree));
    return {file, text, tree, value: JSON.parse(text)};
  } catch (cause) {
    // Both parsers are recursive.
    if (cause instanceof RangeError) throw new InputError({code: 'FZ202', file, rule: 'is nested too deeply'}, {cause});
    if (cause instanceof SyntaxError)
      throw new InputError({code: 'FZ202', file, rule: `is not JSON: ${cause.message}`}, {cause});
    throw cause;
  }
}

function withTree(file: string, text: string, value: unknown): JsonText {
  let tree: Node | undefined;
  return {
    ...{file, text, value},
    get tree() {
      return (tree ??= jsonTree(file, text));
    },
  };
}

/** An escaped surrogate, paired or not. */
const SURROGATE = /\\ud[89a-f]/i;

/**
 * The value of a text that is exactly the output of `JSON.stringify`, with or without indentation, so that members cannot be duplicate.
 * Takes a tenth of the time of parsing a tree. Undefined for any other text.
 */
function valueAsWritten(text: string): unknown {
  if (SURROGATE.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const indent = /^[{[]\n/.test(text) ? 2 : 0;
    return JSON.stringify(value, null, indent) === text.trimEnd() ? value : undefined;
  } catch {
    return undefined; // The tree reports the error.
  }
}

/** Parses a JSON text to a tree with positions. Throws `InputError` with the line of the first error. */
export function jsonTree(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, {disallowComments: true, allowTrailingComma: false});
  const [error] = errors;
  if (error) {
    const {offset, rule, isNumber = false} = mistakeOf(text, error);
    const words = rule.startsWith('is ') ? rule : `is not JSON: it ${rule}`;
    throw new InputError({
      code: 'FZ202',
      file,
      ...placeAt(text, offset),
      rule: words + (isNumber ? ': write null' : ''),
    });
  }
  if (!tree) throw new InputError({code: 'FZ202', file, rule: 'is not JSON: it has no value'});
  return tree;
}

/** Returns line and column of an offset, 1-based. Columns count UTF-16 code units, as editors do. */
export function placeAt(text: string, offset: number): Required<Pick<Fault, 'line' | 'column'>> {
  return {line: lineAt(text, offset), column: offset - text.lastIndexOf('\n', offset - 1)};
}

function memberFaults(file: string, text: string, tree: Node): Fault[] {
  const found = brokenNodes(tree).sort((a, b) => a.node.offset - b.node.offset);
  const starts = found.map(({node}) => node.offset);
  const lines = linesAt(text, starts);
  return found.map(({node, rule}, index) => ({
    code: 'FZ202',
    file,
    line: lines[index],
    field: String(node.value),
    rule,
  }));
}

/** The duplicate keys of objects, and the strings with an unpaired surrogate. */
function brokenNodes(node: Node): {readonly node: Node; readonly rule: string}[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap(({children: [key] = []}) => key ?? []) : [];
  const first = new Map(keys.toReversed().map(key => [key.value as unknown, key]));
  const doubled = keys.filter(key => first.get(key.value) !== key);
  const isHalved = node.type === 'string' && /\p{Cs}/u.test(String(node.value));
  return [
    ...doubled.map(key => ({node: key, rule: 'occurs twice in one object'})),
    ...(isHalved ? [{node, rule: 'has half of a surrogate pair, which UTF-8 cannot represent'}] : []),
    ...children.flatMap(brokenNodes),
  ];
}

/** Returns the line of an offset, 1-based. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

/** Returns the lines of sorted offsets in one pass over the text. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  let [line, last] = [1, 0];
  return offsets.map(offset => {
    line += lineAt(text.slice(last, offset), offset) - 1;
    last = offset;
    return line;
  });
}

/** An error in a text that is not JSON. */
export interface Mistake {
  /** The position in the text. */
  readonly offset: number;
  readonly rule: string;
  /** True for NaN or an infinity, which some programs write. */
  readonly isNumber?: boolean;
}

/** Differences of other formats from JSON, by the text at the error. */
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

/** The error for a text with more than one value. */
export const AFTER_END = 'has text after the end of its value: remove it';

/** Messages for the parser's errors. */
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

/** Explains the first error of the parser. The mistake is often before the offset of the error. */
export function mistakeOf(text: string, {error, offset}: ParseError): Mistake {
  const rest = text.slice(offset);
  const [number] = /^-?(NaN|Infinity|nan|inf)\b/.exec(rest) ?? /^(NaN|Infinity)/.exec(text.slice(offset + 1)) ?? [];
  if (number !== undefined) return {offset, rule: `has ${number}, which JSON does not have`, isNumber: true};
  const name = printParseErrorCode(error);
  if (name === 'InvalidCharacter') return {offset, rule: RULES[name] ?? name};
  // The error may be within a number or after its sign.
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

/** The position of the innermost brace or bracket that is not closed. */
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

/** The keys and indexes that lead to a place in a JSON value. */
export type JsonPath = readonly (string | number)[];

/** Returns for example `payment.accepts[0].pay_to`. Undefined for the whole value. */
export function fieldName(path: JsonPath): string | undefined {
  const name = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return name === '' ? undefined : name.replace(/^\./, '');
}
