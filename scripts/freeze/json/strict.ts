import {isUtf8} from 'node:buffer';
import {parseTree, type ParseError} from 'jsonc-parser';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {HALVED, looseComma, mistakeOf, type Mistake} from '../../../shared/json-text.ts';
import {isNestedDeeper, MAX_DEPTH} from '../../../build/read/limits.ts';
import {chunksOf, wholeLines} from '../../../build/rows/lines.ts';

const BLANK = /^[ \t\r\n]*$/;

/**
 * Throws `InputError` if a file is not strict JSON (RFC 8259) with objects as rows. DuckDB also accepts NaN, trailing commas and other
 * white space. Records that are too long were refused before, and other checks report invalid UTF-8.
 */
export async function refuseLooseJson(root: string, file: string, format: 'json' | 'ndjson'): Promise<void> {
  for await (const {start, text: bytes} of format === 'json' ? elements(root, file) : lines(root, file)) {
    if (!isUtf8(Buffer.from(bytes, 'latin1'))) return;
    const text = Buffer.from(bytes, 'latin1').toString('utf8');
    const found = mistakeIn(text, format, start === 0);
    if (!found) continue;
    throw await faultAt(root, file, start + Buffer.byteLength(text.slice(0, found.offset)), found);
  }
}

/** Returns the mistake in a text that `JSON.parse` refuses, or undefined. */
function looseIn(text: string): Mistake | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const errors: ParseError[] = [];
    parseTree(text, errors, {disallowComments: true, allowTrailingComma: false});
    const [first] = errors;
    return first ? mistakeOf(text, first) : {offset: 0, rule: `is not JSON: ${(error as Error).message}`};
  }
}

/** Returns an error with the line and column of a byte offset in the decompressed file. */
async function faultAt(root: string, file: string, byte: number, {rule, fix}: Pick<Fault, 'rule' | 'fix'>) {
  const decoder = new TextDecoder();
  let [left, line, column] = [byte, 1, 1];
  for await (const chunk of chunksOf(root, file)) {
    const text = decoder.decode(chunk.subarray(0, left), {stream: true});
    const end = text.lastIndexOf('\n');
    column = end < 0 ? column + text.length : text.length - end;
    line += text.split('\n').length - 1;
    left -= chunk.length;
    if (left <= 0) break;
  }
  return new InputError({code: 'FZ202', file, line, column, rule, fix});
}

const ONE_LINE_EACH = 'Write each object on one line, as `jq -c .` does.';

function mistakeIn(text: string, format: 'json' | 'ndjson', isFirst: boolean): Mistake | undefined {
  // Parsers overflow the stack on such a text. Later checks refuse it.
  if (isNestedDeeper(text, MAX_DEPTH)) return undefined;
  const offset = /\S/.exec(text)?.index ?? 0;
  const loose = looseIn(text);
  if (loose) {
    if (format === 'ndjson' && isFirst && /^\s*\{[^}]*$/.test(text) && loose.rule.includes('not closed'))
      return {offset, rule: 'is not a whole JSON object', fix: ONE_LINE_EACH};
    if (format === 'ndjson' && /^,\s*$/.test(text.slice(loose.offset)))
      return {
        offset: loose.offset,
        rule: 'has a comma after its object, as in an array',
        fix: 'Remove the commas at the ends of lines.',
      };
    if (format === 'ndjson' && loose.offset > offset && text.slice(loose.offset).startsWith('{'))
      return {offset: loose.offset, rule: 'has two objects', fix: ONE_LINE_EACH};
    return loose;
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return {offset, rule: 'is not a JSON object'};
  // `JSON.stringify` escapes a lone surrogate.
  const isHalved = text.includes('\\u') && /(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
  return isHalved ? {offset, ...HALVED} : undefined;
}

/** A row with the surrounding white space as bytes (latin-1), and its byte offset in the file. */
interface Element {
  readonly start: number;
  readonly text: string;
}

async function* lines(root: string, file: string): AsyncGenerator<Element> {
  let start = 0;
  for await (const some of wholeLines(root, file)) {
    for (const text of some.replace(/\n$/, '').split('\n')) {
      if (!BLANK.test(text)) yield {start, text};
      start += text.length + 1;
    }
  }
}

/** Yields the elements of a JSON array. Throws `InputError` if the file is not exactly one array. */
async function* elements(root: string, file: string): AsyncGenerator<Element> {
  const marks = /["\\[\]{},]/g;
  let [depth, isText, isEmpty, isDone] = [0, false, true, false];
  // The byte offset of the text in the file, and how much of the text was scanned.
  let [start, at] = [0, 0];
  let text = '';
  const refused = (index: number, explained: Pick<Fault, 'rule' | 'fix'>) =>
    faultAt(root, file, start + index, explained);
  const between = async (from: number, gap: string) => {
    if (BLANK.test(gap)) return;
    const before = isDone ? '[]' : '';
    const mistake = looseIn(before + gap) ?? {offset: 0, rule: 'is not a JSON array'};
    throw await refused(from + mistake.offset - before.length, mistake);
  };
  for await (const chunk of chunksOf(root, file)) {
    text += chunk.toString('latin1');
    marks.lastIndex = at;
    let from = 0;
    for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
      const [character] = mark;
      if (isText && character === '\\') at = marks.lastIndex += 1;
      else if (character === '"') isText = !isText;
      else if (isText) continue;
      else if (character === '[' || character === '{') {
        depth += 1;
        if (depth > 1) continue;
        await between(from, text.slice(from, mark.index));
        if (isDone) {
          throw await refused(mark.index, {rule: 'has another value after its list, and a JSON file has one value'});
        }
        from = mark.index + 1;
      } else if (character === ',' ? depth === 1 : (character === ']' || character === '}') && --depth === 0) {
        const element = text.slice(from, mark.index);
        const isLast = character !== ',';
        if (character === '}')
          throw await refused(mark.index, {rule: 'has "}" at the end of its list', fix: 'Write "]".'});
        if (!BLANK.test(element)) yield {start: start + from, text: element};
        else if (!isLast) throw await refused(mark.index, looseComma('before'));
        else if (!isEmpty) throw await refused(from - 1, looseComma('after'));
        [from, isEmpty, isDone] = [mark.index + 1, false, isLast];
      }
    }
    at = Math.max(at, text.length) - from;
    text = text.slice(from);
    start += from;
  }
  if (depth > 0)
    throw await refused(text.length, {rule: 'ends before its list does', fix: 'Export the whole list again.'});
  await between(0, text);
}
