import {isUtf8} from 'node:buffer';
import {InputError} from '../../../shared/fault.ts';
import {isNestedDeeper, lineAt} from '../../../build/read/json-text.ts';
import {MAX_DEPTH} from '../../../build/read/limits.ts';
import {chunksOf} from '../../../build/rows/lines.ts';
import {bytesOf} from '../../../build/rows/wrapped.ts';
import {jqCommand, jqNote, PROGRAMS} from './jq.ts';
import {looseIn, type Loose} from './loose.ts';

const BLANK = /^[ \t\r\n]*$/;

/**
 * Throws `InputError` if a file is not strict JSON (RFC 8259) whose rows are objects: DuckDB also reads NaN, commas after the last value, and
 * other white space. The survey has refused records that are too long; what is not UTF-8 is left to other checks.
 *
 * @param name what the publisher calls the file, for a command
 */
export async function refuseLooseJson(
  root: string,
  file: string,
  format: 'json' | 'ndjson',
  name: string,
): Promise<void> {
  for await (const element of format === 'json' ? elements(root, file) : lines(root, file)) {
    if (!isUtf8(Buffer.from(element.text, 'latin1'))) return;
    const text = Buffer.from(element.text, 'latin1').toString('utf8');
    const rule = ruleOf(text, format, name, element.line === 1);
    if (!rule) continue;
    const [, ...before] = text.slice(0, rule.offset).split('\n');
    throw new InputError({file, line: element.line + before.length, rule: rule.rule});
  }
}

/** The same of an object of JSON that holds the list, unless it is too long to be parsed as a whole. */
export async function refuseLooseObject(root: string, file: string, name: string): Promise<void> {
  const bytes = await bytesOf(root, file);
  if (!bytes || !isUtf8(bytes)) return;
  const text = bytes.toString('utf8');
  const loose = isNestedDeeper(text, MAX_DEPTH) ? undefined : looseIn(text);
  if (loose)
    throw new InputError({file, line: lineAt(text, loose.offset), rule: loose.rule + wayOut(loose, text, name, {})});
}

/** How to replace numbers that JSON does not have. */
function wayOut({isNumber = false}: Loose, text: string, name: string, options: object): string {
  return isNumber ? `: ${jqCommand(name, PROGRAMS.nulls, options)} makes null of it${jqNote(text)}` : '';
}

function ruleOf(
  text: string,
  format: 'json' | 'ndjson',
  name: string,
  isFirst: boolean,
): {offset: number; rule: string} | undefined {
  // Parsers of such a text end in a stack overflow; later checks refuse it.
  if (isNestedDeeper(text, MAX_DEPTH)) return undefined;
  const offset = /\S/.exec(text)?.index ?? 0;
  const loose = looseIn(text);
  if (loose) {
    const options = format === 'json' ? {} : {options: '-c', extension: '.ndjson'};
    if (format === 'ndjson' && isFirst && /^\s*\{[^}]*$/.test(text) && loose.rule.startsWith('is not JSON'))
      return {
        offset,
        rule: `is not a whole JSON object: if objects run over several lines, ${jqCommand(name, '.', options)} writes one a line${jqNote(text)}`,
      };
    if (format === 'ndjson' && /^,\s*$/.test(text.slice(loose.offset)))
      return {
        offset: loose.offset,
        rule: 'has a comma after its object, as in an array: remove the commas at the ends of lines',
      };
    if (format === 'ndjson' && text.slice(loose.offset).startsWith('{'))
      return {
        offset: loose.offset,
        rule: `has two objects: ${jqCommand(name, '.', options)} writes one a line${jqNote(text)}`,
      };
    return {offset: loose.offset, rule: loose.rule + wayOut(loose, text, name, options)};
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return {offset, rule: 'is not a JSON object'};
  // A surrogate without its other half is escaped again.
  const isHalved = text.includes('\\u') && /(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
  return isHalved ? {offset, rule: 'holds half of a surrogate pair, which UTF-8 cannot hold'} : undefined;
}

/** A row as bytes (latin-1), with what is around it, and the line on which that starts. */
interface Element {
  readonly line: number;
  readonly text: string;
}

async function* lines(root: string, file: string): AsyncGenerator<Element> {
  let [line, rest] = [1, ''];
  for await (const chunk of chunksOf(root, file)) {
    const parts = (rest + chunk.toString('latin1')).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) {
      if (!BLANK.test(text)) yield {line, text};
      line += 1;
    }
  }
  if (!BLANK.test(rest)) yield {line, text: rest};
}

/** The elements of a JSON array. Throws `InputError` if there is more or less than one array. */
async function* elements(root: string, file: string): AsyncGenerator<Element> {
  const marks = /["\\[\]{},\n]/g;
  let [depth, isText, isEmpty, isDone] = [0, false, true, false];
  let [line, start, at] = [1, 1, 0];
  let text = '';
  const refused = (rule: string) => new InputError({file, line, rule});
  const between = (gap: string) => {
    if (!BLANK.test(gap)) throw refused(looseIn(gap)?.rule ?? 'is not a JSON array');
  };
  for await (const chunk of chunksOf(root, file)) {
    text += chunk.toString('latin1');
    marks.lastIndex = at;
    let from = 0;
    for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
      const [character] = mark;
      if (character === '\n') line += 1;
      else if (isText && character === '\\') at = marks.lastIndex += 1;
      else if (character === '"') isText = !isText;
      else if (isText) continue;
      else if (character === '[' || character === '{') {
        depth += 1;
        if (depth > 1) continue;
        between(text.slice(from, mark.index));
        if (isDone) throw refused('holds another value after its list: a file of JSON is one list');
        [from, start] = [mark.index + 1, line];
      } else if (character === ',' ? depth === 1 : (character === ']' || character === '}') && --depth === 0) {
        const element = text.slice(from, mark.index);
        const isLast = character !== ',';
        if (character === '}') throw refused('is not JSON: close bracket expected');
        if (!BLANK.test(element)) yield {line: start, text: element};
        else if (!isLast || !isEmpty) throw refused(COMMA);
        [from, start, isEmpty, isDone] = [mark.index + 1, line, false, isLast];
      }
    }
    at = Math.max(at, text.length) - from;
    text = text.slice(from);
  }
  if (depth > 0) throw refused('ends before its list does: the file is cut off');
  between(text);
}

const COMMA = 'has a comma without a value after it, which JSON does not allow: remove the comma';
