import {isUtf8} from 'node:buffer';
import {parseTree, type ParseError} from 'jsonc-parser';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {HALVED, mistakeOf, type Mistake} from '../../../shared/json-text.ts';
import {isNestedDeeper, MAX_DEPTH} from '../../../build/read/limits.ts';
import {chunksOf, wholeLines} from '../../../build/rows/lines.ts';

/** A row and its surroundings as bytes (latin-1), and their byte offset in the file. */
interface Row {
  readonly start: number;
  readonly latin: string;
}

/**
 * Throws `InputError` if a file is not strict JSON (RFC 8259) with objects as rows. DuckDB also accepts NaN, trailing commas and other
 * white space. Records that are too long were refused before, and other checks report invalid UTF-8.
 */
export async function refuseLooseJson(root: string, file: string, format: 'json' | 'ndjson'): Promise<void> {
  for await (const {start, latin} of format === 'json' ? elements(root, file) : lines(root, file)) {
    const bytes = Buffer.from(latin, 'latin1');
    if (!isUtf8(bytes)) return;
    const text = bytes.toString('utf8');
    // Parsers overflow the stack on such a text. Later checks refuse it.
    if (isNestedDeeper(text, MAX_DEPTH + 1)) continue;
    const loose = looseIn(text);
    const found = loose ? explained(text, loose, format, start === 0) : rowMistake(text, format);
    if (found) throw await faultAt(root, file, start + Buffer.byteLength(text.slice(0, found.offset)), found);
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

/** Returns a better explanation for some mistakes of a whole list. */
function explained(text: string, loose: Mistake, format: 'json' | 'ndjson', isFirst: boolean): Mistake {
  const {offset} = loose;
  const isUnclosed = loose.rule.includes('not closed');
  if (format === 'json')
    return isUnclosed && !text.endsWith(AFTER)
      ? {offset: text.length, rule: 'ends before its list does', fix: 'Export the whole list again.'}
      : loose;
  const first = text.search(/\S/);
  if (isFirst && isUnclosed && /^\s*\{[^}]*$/.test(text))
    return {offset: first, rule: 'is not a whole JSON object', fix: ONE_LINE_EACH};
  if (/^,\s*$/.test(text.slice(offset)))
    return {
      offset,
      rule: 'has a comma after its object, as in an array',
      fix: 'Remove the commas at the ends of lines.',
    };
  if (offset > first && text.startsWith('{', offset)) return {offset, rule: 'has two objects', fix: ONE_LINE_EACH};
  return loose;
}

/** Returns the mistake in a text of strict JSON whose rows are not objects that UTF-8 can represent, or undefined. */
function rowMistake(text: string, format: 'json' | 'ndjson'): Mistake | undefined {
  const value: unknown = JSON.parse(text);
  const rows: unknown[] = format === 'json' ? [value].flat() : [value];
  const offset = /^(\[\{\},|\s*\[)?\s*/.exec(text)?.[0].length ?? 0;
  if (rows.some(row => typeof row !== 'object' || row === null || Array.isArray(row)))
    return {offset, rule: 'is not a JSON object'};
  // `JSON.stringify` escapes a lone surrogate.
  const isHalved = text.includes('\\u') && /(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
  return isHalved ? {offset, ...HALVED} : undefined;
}

/** Replaces the elements after one. */
const AFTER = ',{}]';

async function* lines(root: string, file: string): AsyncGenerator<Row> {
  let start = 0;
  for await (const some of wholeLines(root, file)) {
    for (const latin of some.replace(/\n$/, '').split('\n')) {
      if (/[^ \t\r]/.test(latin)) yield {start, latin};
      start += latin.length + 1;
    }
  }
}

/** Yields each element of a JSON array in a short list, which is strict JSON if the element and the punctuation around it are. */
async function* elements(root: string, file: string): AsyncGenerator<Row> {
  const marks = /["\\[\]{},]/g;
  let [depth, isText, before, text] = [0, false, '', ''];
  // The byte offset of the text in the file, and how much of the text was scanned.
  let [start, at] = [0, 0];
  for await (const chunk of chunksOf(root, file)) {
    text += chunk.toString('latin1');
    marks.lastIndex = at;
    let from = 0;
    for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
      const [character] = mark;
      if (isText && character === '\\') at = marks.lastIndex += 1;
      else if (character === '"') isText = !isText;
      else if (isText || character === '\\') continue;
      else if (character !== ',') depth += '[{'.includes(character) ? 1 : -1;
      else if (depth < 2) {
        yield {start: start + from - before.length, latin: before + text.slice(from, mark.index) + AFTER};
        [from, before] = [mark.index, '[{}'];
      }
    }
    at = Math.max(at, text.length) - from;
    text = text.slice(from);
    start += from;
  }
  yield {start: start - before.length, latin: before + text};
}
