import {parseTree, printParseErrorCode, type ParseError} from 'jsonc-parser';

/** What is wrong with a text that `JSON.parse` refuses. */
export interface Loose {
  /** Where in the text. */
  readonly offset: number;
  readonly rule: string;
  /** Whether it holds NaN or an infinity, which some writers of JSON have. */
  readonly isNumber?: boolean;
}

/** How writers of other formats differ from JSON, by the text from the first error on. */
const KINDS: readonly (readonly [pattern: RegExp, rule: (found: string) => string])[] = [
  [/^[\u000b\u000c\u0085\u00a0\u1680\u2000-\u200b\u2028-\u202f\u205f\u3000\ufeff]/, found => `has the character U+${hex(found)} between its values, where JSON has spaces, tabs and line ends only: remove it`],
  [/^\/[/*]|^#/, () => 'has a comment, which JSON does not have: remove it'],
  [/^'/, () => 'has single quotation marks, as Python prints: JSON has double ones, as json.dumps writes'],
  [/^(None|True|False)\b/, found => `has ${found}, as Python prints: write the list with json.dumps`],
  [/^undefined\b/, () => 'has undefined, which JSON does not have: write null'],
  [/^\+[\d.]/, () => 'has a number that starts with +, which JSON does not allow: remove the sign'],
  [/^-?\.\d/, () => 'has a number without a digit before its point, which JSON does not allow: write 0.5'],
  [/^-?0[xX0-9]/, () => 'has a number that starts with 0 and another digit, which JSON does not allow: write it without, or as a text'],
  [/^[,\]}]/, () => 'has a comma without a value after it, which JSON does not allow: remove the comma'],
  [/^[\w$]+\s*:/, () => 'has a name of a member without quotation marks, which JSON does not allow'],
]; // prettier-ignore

/** Says why a text is not JSON. */
export function looseIn(text: string): Loose | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const errors: ParseError[] = [];
    parseTree(text, errors, {disallowComments: true, allowTrailingComma: false});
    const [first] = errors;
    if (!first) return {offset: 0, rule: `is not JSON: ${(error as Error).message}`};
    const {offset} = first;
    const rest = text.slice(offset);
    const [number] = /^-?(NaN|Infinity|nan|inf)\b/.exec(rest) ?? /^(NaN|Infinity)/.exec(text.slice(offset + 1)) ?? [];
    if (number !== undefined) return {offset, rule: `has ${number}, which JSON does not have`, isNumber: true};
    const words = printParseErrorCode(first.error)
      .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
      .toLowerCase();
    if (words === 'invalid character') {
      const rule =
        'has a control character within a text: JSON writes a line end as \\n, and others as \\u and four digits';
      return {offset, rule};
    }
    const start = before(text, offset);
    const isClosing = /^[\]}]/.test(rest) && !text.slice(0, offset).trimEnd().endsWith(',');
    const kind = isClosing ? undefined : KINDS.find(([pattern]) => pattern.test(start.rest) || pattern.test(rest));
    const found = kind?.[0].exec(start.rest)?.[0] ?? kind?.[0].exec(rest)?.[0] ?? '';
    return {offset, rule: kind ? kind[1](found) : `is not JSON: ${words}`};
  }
}

/** The text from the beginning of a number or sign on that the error is in. */
function before(text: string, offset: number): {readonly rest: string} {
  const sign = /[-+.\d]+$/.exec(text.slice(0, offset))?.[0] ?? '';
  return {rest: text.slice(offset - sign.length)};
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
