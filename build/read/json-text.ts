import {isUtf8} from 'node:buffer';
import {parseTree, type Node, type ParseError} from 'jsonc-parser';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {mistakeOf} from './json-mistake.ts';

/** The text of a JSON file, parsed: its value, and its tree, which knows where everything stands. */
export interface JsonText {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  readonly tree: Node;
}

/** The text of a file's bytes; throws `InputError` where there are none, or where they are not UTF-8. */
export function decode(file: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new InputError({file, rule: 'is empty'});
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex(one => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new InputError({file, line, rule: 'holds bytes that are not UTF-8'});
}

/** Whether lists and objects of a JSON text stand inside each other deeper than so many levels; of a text that is no JSON, it may err. */
export function isNestedDeeper(text: string, levels: number): boolean {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '[' || character === '{')) depth += 1;
    else if (!quoted && (character === ']' || character === '}')) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** Parses strict JSON without doubled members. Throws `InputError` with the line of every fault. */
export function parse(file: string, text: string): JsonText {
  const mark = 'starts with a byte order mark: save it without';
  if (text.startsWith('\ufeff')) throw new InputError({file, line: 1, rule: mark});
  try {
    const tree = jsonTree(file, text);
    refuse(memberFaults(file, text, tree));
    return {file, text, tree, value: JSON.parse(text)};
  } catch (cause) {
    // Both parsers call themselves for every level.
    if (cause instanceof RangeError) throw new InputError({file, rule: 'is nested too deeply'}, {cause});
    if (cause instanceof SyntaxError) throw new InputError({file, rule: `is not JSON: ${cause.message}`}, {cause});
    throw cause;
  }
}

/** Where everything stands in a JSON text. Throws `InputError` with the line of what is not JSON. */
export function jsonTree(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, {disallowComments: true, allowTrailingComma: false});
  const [error] = errors;
  if (error) {
    const {offset, rule, isNumber = false} = mistakeOf(text, error);
    const words = rule.startsWith('is ') ? rule : `is not JSON: it ${rule}`;
    throw new InputError({file, ...placeAt(text, offset), rule: words + (isNumber ? ': write null' : '')});
  }
  if (!tree) throw new InputError({file, rule: 'is not JSON: value expected'});
  return tree;
}

/** Line and column of a place in a text, 1-based. Columns count UTF-16 code units, as editors do. */
export function placeAt(text: string, offset: number): Required<Pick<Fault, 'line' | 'column'>> {
  return {line: lineAt(text, offset), column: offset - text.lastIndexOf('\n', offset - 1)};
}

function memberFaults(file: string, text: string, tree: Node): Fault[] {
  const found = brokenNodes(tree).sort((a, b) => a.node.offset - b.node.offset);
  const starts = found.map(({node}) => node.offset);
  const lines = linesAt(text, starts);
  return found.map(({node, rule}, index) => ({file, line: lines[index], field: String(node.value), rule}));
}

/** The keys that repeat an earlier one of the same object, and the texts that have a surrogate without its other half. */
function brokenNodes(node: Node): {readonly node: Node; readonly rule: string}[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap(({children: [key] = []}) => key ?? []) : [];
  const first = new Map(keys.toReversed().map(key => [key.value as unknown, key]));
  const doubled = keys.filter(key => first.get(key.value) !== key);
  const isHalved = node.type === 'string' && /\p{Cs}/u.test(String(node.value));
  return [
    ...doubled.map(key => ({node: key, rule: 'stands twice in one object'})),
    ...(isHalved ? [{node, rule: 'holds half of a surrogate pair, which UTF-8 cannot hold'}] : []),
    ...children.flatMap(brokenNodes),
  ];
}

/** The line, 1-based, of a place in a text. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

/** The same of many places, in order: the text is gone through once. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  let [line, last] = [1, 0];
  return offsets.map(offset => {
    line += lineAt(text.slice(last, offset), offset) - 1;
    last = offset;
    return line;
  });
}
