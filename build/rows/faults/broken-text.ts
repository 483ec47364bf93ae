import {isUtf8} from 'node:buffer';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {jsonTree, linesAt, parse} from '../../../shared/json-text.ts';
import {textLines} from '../lines.ts';
import type {List} from '../relation.ts';
import {bytesIfSmall, rowsIn} from '../survey.ts';

/** The error for text in another encoding. */
export const NOT_UTF8 = 'has bytes that are not UTF-8';

/** Returns errors that prevent files from being read as text: bytes that are not UTF-8, lines that are not JSON. */
export async function brokenText({table: {freeze}}: List): Promise<Fault[]> {
  if (freeze.format === 'parquet') return [];
  const faults: Fault[] = [];
  const ruleOf = freeze.format === 'ndjson' ? jsonRule : encodingRule;
  for (const file of freeze.files) {
    for await (const {line, text} of textLines(freeze.root, file)) {
      const rule = ruleOf(Buffer.from(text, 'latin1'));
      if (rule !== undefined) faults.push({code: freeze.format === 'ndjson' ? 'FZ202' : 'FZ104', file, line, rule});
    }
    if (freeze.format !== 'json' || faults.length > 0) continue;
    for (const fault of (await parseRows(freeze.root, file, freeze.property)).faults) faults.push(fault);
  }
  return faults;
}

function encodingRule(line: Buffer): string | undefined {
  return isUtf8(line) ? undefined : NOT_UTF8;
}

function jsonRule(line: Buffer): string | undefined {
  if (!isUtf8(line)) return encodingRule(line);
  const text = line.toString('utf8');
  if (text.startsWith('\ufeff')) return 'starts with a byte order mark: save it without one';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object';
    // JSON.stringify escapes a surrogate only if its other half is missing.
    const isHalved = /(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
    return isHalved ? 'has half of a surrogate pair, which UTF-8 cannot represent' : undefined;
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

/**
 * Returns the line of each row of a JSON array, and the errors of the file. Both are empty for files that are too large to parse.
 * @param property the members that lead to the array, if it is inside an object
 */
export async function parseRows(
  root: string,
  file: string,
  property?: string,
): Promise<{readonly lines: readonly number[]; readonly faults: readonly Fault[]}> {
  const bytes = await bytesIfSmall(root, file);
  const text = bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  if (text === undefined) return {lines: [], faults: []};
  const faults = jsonFaults(file, text);
  const tree = treeIfJson(file, text);
  if (!tree) return {lines: [], faults};
  const list = rowsIn(tree, property);
  const rows = list?.children ?? [];
  const starts = rows.map(({offset}) => offset);
  const lines = linesAt(text, starts);
  if (!list) return {lines, faults: [{code: 'FZ107' as const, file, line: 1, rule: 'is not a JSON array'}, ...faults]};
  const odd = rows.flatMap(({type}, index) => (type === 'object' ? [] : [lines[index]]));
  return {
    lines,
    faults: [...odd.map(line => ({code: 'FZ107' as const, file, line, rule: 'is not a JSON object'})), ...faults],
  };
}

function jsonFaults(file: string, text: string): readonly Fault[] {
  try {
    parse(file, text);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.faults;
    throw error;
  }
}

/** Undefined if the text is not JSON, which is reported separately. */
function treeIfJson(file: string, text: string) {
  try {
    return jsonTree(file, text);
  } catch {
    return undefined;
  }
}
