import {isUtf8} from 'node:buffer';
import {parseTree, type Node, type ParseError, createScanner, printParseErrorCode} from 'jsonc-parser';
import {InputError, refuse, type Fault, type Place} from './fault.ts';

/** The text of a JSON file, and its value. */
export interface JsonText {
  readonly at: Place;
  readonly text: string;
  readonly value: unknown;
  /** The tree with the position of every value. Parsed on first use, mostly for errors. */
  readonly tree: Node;
}

/** Decodes the bytes of a file. Throws `InputError` if the file is empty or not UTF-8. */
export function decode(at: Place, bytes: Buffer): string {
  if (bytes.length === 0) throw new InputError({code: 'FZ202', ...at, rule: 'is empty'});
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex(one => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new InputError({code: 'FZ104', ...at, line, rule: 'has bytes that are not UTF-8'});
}

const BYTE_ORDER_MARK = {rule: 'starts with a byte order mark', fix: 'Save the file without one.'};

/** Parses strict JSON without duplicate members. Throws `InputError` with the line of every error. */
export function parse(at: Place, text: string): JsonText {
  if (text.startsWith('\ufeff')) throw new InputError({code: 'FZ104', ...at, line: 1, ...BYTE_ORDER_MARK});
  const written = valueAsWritten(text);
  if (written !== undefined) return withTree(at, text, written);
  try {
    const tree = jsonTree(at, text);
    refuse(memberFaults(at, text, tree));
    return {at, text, tree, value: JSON.parse(text)};
  } catch (cause) {
    // Both parsers are recursive.
    if (cause instanceof RangeError)
      throw new InputError({code: 'FZ202', ...at, rule: 'is nested too deeply'}, {cause});
    if (cause instanceof SyntaxError)
      throw new InputError({code: 'FZ202', ...at, rule: `is not JSON: ${cause.message}`}, {cause});
    throw cause;
  }
}

function withTree(at: Place, text: string, value: unknown): JsonText {
  let tree: Node | undefined;
  return {
    ...{at, text, value},
    get tree() {
      return (tree ??= jsonTree(at, text));
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
export function jsonTree(at: Place, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, {disallowComments: true, allowTrailingComma: false});
  const [error] = errors;
  if (error) {
    const {offset, rule, fix} = mistakeOf(text, error);
    const words = rule.startsWith('is ') ? rule : `is not JSON: it ${rule}`;
    throw new InputError({code: 'FZ202', ...at, ...placeAt(text, offset), rule: words, fix});
  }
  if (!tree) throw new InputError({code: 'FZ202', ...at, rule: 'is not JSON: it does not contain a value'});
  return tree;
}

/** Returns line and column of an offset, 1-based. Columns count UTF-16 code units, as editors do. */
export function placeAt(text: string, offset: number): Required<Pick<Fault, 'line' | 'column'>> {
  return {line: lineAt(text, offset), column: offset - text.lastIndexOf('\n', offset - 1)};
}

function memberFaults(at: Place, text: string, tree: Node): Fault[] {
  const found = brokenNodes(tree).sort((a, b) => a.node.offset - b.node.offset);
  const starts = found.map(({node}) => node.offset);
  const lines = linesAt(text, starts);
  return found.map(({node, rule, fix}, index) => ({
    code: 'FZ202',
    ...at,
    line: lines[index],
    field: String(node.value),
    rule,
    fix,
  }));
}

/** The error for a text with an unpaired surrogate. */
export const HALVED = {
  rule: 'has half of a surrogate pair, which UTF-8 cannot represent',
  fix: 'Write the whole character, or remove the half. Cutting a text in the middle of an emoji leaves one.',
};

/** The duplicate keys of objects, and the strings with an unpaired surrogate. */
function brokenNodes(node: Node): ({readonly node: Node} & Explanation)[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap(({children: [key] = []}) => key ?? []) : [];
  const first = new Map(keys.toReversed().map(key => [key.value as unknown, key]));
  const doubled = keys.filter(key => first.get(key.value) !== key);
  const isHalved = node.type === 'string' && /\p{Cs}/u.test(String(node.value));
  return [
    ...doubled.map(key => ({node: key, rule: 'occurs twice in one object'})),
    ...(isHalved ? [{node, ...HALVED}] : []),
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
  readonly fix?: string | undefined;
}

type Explanation = Omit<Mistake, 'offset'>;

/** The first line that git writes into a text at a merge conflict. */
export const MERGE_CONFLICT = {
  start: /^<{7} /,
  rule: 'has the two versions of a merge conflict in git',
  fix: 'Keep one of them, and remove the lines <<<<<<<, ======= and >>>>>>>.',
} as const;

/** Differences of other formats from JSON, by the text at the error. */
const KINDS: readonly (readonly [pattern: RegExp, rule: (found: string) => string, fix: string])[] = [
  [/^[\u000b\u000c\u0085\u00a0\u1680\u2000-\u200b\u2028-\u202f\u205f\u3000\ufeff]/, found => `has the character U+${hex(found)} between its values, and JSON allows only spaces, tabs and line ends there`, 'Remove the character.'],
  [MERGE_CONFLICT.start, () => MERGE_CONFLICT.rule, `${MERGE_CONFLICT.fix} If a build wrote the file, run \`frozen build\` instead.`],
  [/^\/[/*]|^#/, () => 'has a comment, which JSON does not have', 'Remove the comment.'],
  [/^'/, () => 'has single quotation marks, as Python prints', 'Write double quotation marks, as json.dumps does.'],
  [/^[`“”„‘’«»]/, found => `has the quotation mark ${found}, and JSON only has "`, 'Write " instead.'],
  [/^(None|True|False)\b/, found => `has ${found}, as Python prints`, 'Write null, true or false, as json.dumps does.'],
  [/^undefined\b/, () => 'has undefined, which JSON does not have', 'Write null.'],
  [/^\+[\d.]/, () => 'has a number that starts with +, which JSON does not allow', 'Remove the sign.'],
  [/^-?\.\d/, () => 'has a number without a digit before its point, which JSON does not allow', 'Write 0.5 instead of .5, for example.'],
  [/^-?\d+\.(?!\d)/, () => 'has a number without a digit after its point, which JSON does not allow', 'Write 5.0 instead of 5., for example.'],
  [/^-?0[xX0-9]/, () => 'has a number that starts with 0 and another digit, which JSON does not allow', 'Remove the 0, or write the number as a text.'],
  [/^-?\d+_\d/, () => 'has a number with an underscore, which JSON does not allow', 'Remove the underscore.'],
  [/^;/, () => 'has a semicolon, which JSON does not have', 'Write a comma, or nothing after the last value.'],
  [/^[\w$]+\s*:/, () => 'has a name of a member without quotation marks, which JSON does not allow', 'Write the name in double quotation marks.'],
  [/^[\p{L}_$][\p{L}\p{N}_$-]*/u, found => `has the word ${found} without quotation marks`, 'Write texts in double quotation marks.'],
]; // prettier-ignore

/** The error for a text with more than one value. */
export const AFTER_END = {rule: 'has text after the end of its value', fix: 'Remove the text.'};

/** Messages for the parser's errors. */
const RULES: Readonly<Record<string, Explanation>> = {
  InvalidSymbol: {rule: 'has a character here that JSON does not have', fix: 'Remove it, or write the value as a text in quotation marks.'},
  ValueExpected: {rule: 'lacks a value here'},
  PropertyNameExpected: {rule: 'lacks the name of a member here, in quotation marks'},
  UnexpectedEndOfString: {rule: 'has a text without its second quotation mark', fix: 'Add the mark on the same line.'},
  UnexpectedEndOfNumber: {rule: 'has a number that is not complete'},
  InvalidNumberFormat: {rule: 'has a number that is not complete'},
  EndOfFileExpected: AFTER_END,
  InvalidUnicode: {rule: 'has \\u without four hexadecimal digits after it'},
  InvalidEscapeCharacter: {rule: 'has a backslash that does not start an escape of JSON', fix: 'Write \\\\ for a backslash.'},
  InvalidCharacter: {rule: 'has a control character within a text', fix: 'Write \\n for a line end, and \\u with four hexadecimal digits for others.'},
}; // prettier-ignore

/** A comma without a value before or after it. */
function looseComma(side: 'before' | 'after'): Explanation {
  return {rule: `is not JSON: this comma has no value ${side} it`, fix: 'Remove the comma.'};
}

/** Explains the first error of the parser. The mistake is often before the offset of the error. */
export function mistakeOf(text: string, {error, offset}: ParseError): Mistake {
  const rest = text.slice(offset);
  const [number] = /^-?(NaN|Infinity|nan|inf)\b/.exec(rest) ?? /^(NaN|Infinity)/.exec(text.slice(offset + 1)) ?? [];
  if (number !== undefined) return {offset, rule: `has ${number}, which JSON does not have`, fix: 'Write null.'};
  const name = printParseErrorCode(error);
  const explanation = RULES[name] ?? {rule: `is not JSON: ${name}`};
  if (name === 'InvalidCharacter') return {offset, ...explanation};
  // The error may be within a number or after its sign.
  let sign = 0;
  while (/[-+.\d]/.test(text[offset - sign - 1] ?? '')) sign += 1;
  const before = text.slice(0, offset).trimEnd();
  const opened = openedIn(before);
  const isWord = /^[\p{L}\p{N}_$]/u.test(rest);
  if (isWord && text.slice(0, offset - sign).trim() !== '' && opened === undefined) return {offset, ...AFTER_END};
  if (isWord && name === 'InvalidSymbol' && text[offset - 1] === '"')
    return {offset: offset - 1, rule: 'has a quotation mark within a text', fix: 'Write \\" for it.'};
  for (const [pattern, rule, fix] of KINDS)
    for (const start of [offset - sign, offset]) {
      const [found] = pattern.exec(text.slice(start)) ?? [];
      if (found !== undefined) return {offset: start, rule: rule(found), fix};
    }
  const isClosing = /^[\]}]/.test(rest);
  if (before.endsWith(',') && isClosing) return {offset: before.length - 1, ...looseComma('after')};
  const isUnclosed = name.startsWith('Close') || rest.trim() === '' || (name === 'CommaExpected' && isClosing);
  if (opened !== undefined && isUnclosed) {
    const closing = text[opened] === '{' ? '}' : ']';
    return {offset: opened, rule: `has a "${text[opened] ?? ''}" that is not closed`, fix: `Add "${closing}".`};
  }
  if (name === 'CommaExpected') return {offset: before.length, rule: 'is not JSON: a comma is missing here'};
  if (name === 'ColonExpected') return {offset: before.length, rule: 'lacks a colon after this name'};
  return rest.startsWith(',') ? {offset, ...looseComma('before')} : {offset, ...explanation};
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
