import {parseTree} from 'jsonc-parser';
import {InputError} from '../../shared/fault.ts';
import {AFTER_END} from '../../shared/json-text.ts';
import {isNestedDeeper, MAX_DEPTH} from '../../build/read/limits.ts';
import {NOT_UTF8} from '../../build/rows/faults/broken-text.ts';
import {headBytes} from './csv/head-bytes.ts';
import {headerIn, type CsvHeader} from './csv/header.ts';
import type {DeclaredHeader} from './csv/header-doubts.ts';
import {wideUnicodeIn} from './encoding.ts';
import type {FileForm} from './file-name.ts';
import {jqCommand, jqNote, PROGRAMS} from './json/jq.ts';
import {rowsInside} from './json/rows-inside.ts';
import {refuseLooseObject} from './json/strict.ts';

const SIGNATURES: readonly (readonly [hex: string, what: string])[] = [
  ['50415231', 'Parquet'],
  ['1f8b', 'gzip'],
  ['504b0304', 'a ZIP archive, as a spreadsheet is: save it as CSV'],
];

const EXPECTED = {csv: 'CSV', ndjson: 'NDJSON', json: 'a JSON array', parquet: 'Parquet'} as const;

/**
 * Checks the beginning of a decompressed file, and returns the header of CSV. Throws `InputError` if the content does not match the file's
 * name.
 *
 * @param property the path of the list inside a JSON object
 * @param declared the options and the last schema for the header of CSV
 * @param name the file name as the publisher gave it, for commands in messages
 */
export async function beginningOf(
  root: string,
  file: string,
  {format, tabs}: FileForm,
  delimiter: string | undefined,
  property: string | undefined,
  declared: DeclaredHeader,
  name: string,
): Promise<CsvHeader | undefined> {
  const {head, isWhole} = await headBytes(root, file);
  if (head.length === 0) throw new InputError({code: 'FZ109', file, rule: 'is empty'});
  const start = head.toString('hex', 0, 4);
  const signature = SIGNATURES.find(([hex]) => start.startsWith(hex))?.[1];
  if (!signature && format !== 'parquet' && wideUnicodeIn(head))
    throw new InputError({code: 'FZ104', file, rule: NOT_UTF8});
  const what =
    signature ??
    (format === 'parquet' ? 'text or something unknown' : await strangeText(root, file, head, format, property, name));
  if (what !== undefined && what !== EXPECTED[format])
    throw new InputError({code: 'FZ121', file, rule: `is not ${EXPECTED[format]}, as its name says, but ${what}`});
  return format === 'csv' ? headerIn(head, isWhole, file, delimiter ?? (tabs ? '\t' : undefined), declared) : undefined;
}

const LINES = {options: '-c', extension: '.ndjson'};
const LINE_PROGRAMS = {
  list: 'to_entries | map({key: "column\\(.key + 1)", value}) | from_entries',
  value: '{value: .}',
};

/** Describes a text that is not in the expected format, or returns undefined. Decides by the first characters. */
async function strangeText(
  root: string,
  file: string,
  head: Buffer,
  format: 'csv' | 'ndjson' | 'json',
  property: string | undefined,
  name: string,
): Promise<string | undefined> {
  const text = head.toString('utf8', 0, 1024);
  if (text.startsWith('\ufeff') && format !== 'csv')
    return 'text with a byte order mark, which JSON must not have: save it without one';
  if (text.includes('\0')) return 'something binary';
  const first = text
    .replace(/^\ufeff/, '')
    .trimStart()
    .charAt(0);
  if (first === '<') return 'HTML or XML';
  const second = text.trimStart().split('\n')[1]?.trimStart() ?? '';
  if (format === 'ndjson' && first === '[' && second.startsWith('['))
    return `lists, one a line, not objects: make rows with ${jqCommand(name, LINE_PROGRAMS.list, LINES)}`;
  if (format === 'ndjson' && /["\d]/.test(first))
    return `values, one a line, not objects: make rows with ${jqCommand(name, LINE_PROGRAMS.value, LINES)}`;
  if (first === '[' && format !== 'json') return 'JSON: name an array .json';
  if (first === '{' && format === 'csv') return 'JSON: name it .json, and objects, one a line, .ndjson';
  if (first === '{' && property !== undefined) return undefined;
  if (first === '{' && format === 'json') return await anObject(root, file, head, name);
  if (format === 'json' && first === '[') refuseOddArray(head, file, name);
  return (first === '[' || first === '{') === (format !== 'csv') ? undefined : 'another text';
}

/**
 * Explains why a JSON object is not a list of rows, with the option or command that fixes it. Throws `InputError` if the file is not JSON.
 */
async function anObject(root: string, file: string, head: Buffer, name: string): Promise<string> {
  const text = head.toString('utf8').trimStart();
  const [line = '', next] = text.split('\n');
  if (next !== undefined && next.startsWith('{') && isJson(line)) return 'objects, one a line: name it .ndjson';
  const {lists, members, shape} = await rowsInside(root, file).catch(async (error: unknown) => {
    if (!isStream(error)) await refuseLooseObject(root, file, name);
    if (!isStream(error)) throw error;
    return {lists: [], members: undefined, shape: undefined};
  });
  const note = jqNote(text);
  if (!members && lists.length === 0 && shape === undefined && !isJson(text.trim()))
    return `several objects, one after the other: ${jqCommand(name, '.', {options: '-s'})} makes a list of them${note}`;
  if (shape === 'split')
    return `names of columns and rows apart, as pandas writes with orient="split": write it with orient="records", or make rows with ${jqCommand(name, PROGRAMS.split)}${note}`;
  if (shape === 'columns')
    return `an object of columns, as pandas writes without orient="records": write it with that, or make rows with ${jqCommand(name, PROGRAMS.columns)}${note}`;
  if (shape === 'lists') return `an object of columns: make rows with ${jqCommand(name, PROGRAMS.columnLists)}${note}`;
  if (lists.length > 0)
    return `an object that holds a list of rows: add ${lists.map(property => `--property ${property}`).join(' or ')}`;
  if (!members) return `one object: if it is one row, ${jqCommand(name, '[.]')} makes a list of it${note}`;
  const path = members.map(member => `.${JSON.stringify(member)}`).join('') || '.';
  const whose = members.length > 0 ? `the members of ${members.join('.')}` : 'its members';
  return `an object without a list of rows: make rows of ${whose} with ${jqCommand(name, `[${path} | to_entries[] | {key} + .value]`)}${note}`;
}

/** True if the error says that the file has more than one JSON value. */
function isStream(error: unknown): boolean {
  return error instanceof InputError && error.faults[0]?.rule.endsWith(AFTER_END) === true;
}

/** Throws `InputError` if the first elements of an array are not objects. */
function refuseOddArray(head: Buffer, file: string, name: string): void {
  const text = head.toString('utf8');
  if (isNestedDeeper(text, MAX_DEPTH)) return;
  const tree = parseTree(text);
  const [first, second] = tree?.children ?? [];
  if (!first || first.type === 'object') return;
  const note = jqNote(text);
  if (first.type === 'array' && first.children?.[0]?.type === 'object')
    throw new InputError({
      code: 'FZ107',
      file,
      rule: `is a list of lists of objects: make one list with ${jqCommand(name, 'add')}${note}`,
    });
  const areNames = (first.children ?? []).every(({type}) => type === 'string');
  const isHeader = areNames && second?.children?.some(({type}) => type !== 'string') === true;
  const ofLists = isHeader ? PROGRAMS.named : PROGRAMS.lists;
  const program = first.type === 'array' ? ofLists : PROGRAMS.texts;
  const rule = `is a list of ${first.type}s, not of objects: make rows with ${jqCommand(name, program)}${note}`;
  throw new InputError({code: 'FZ107', file, rule});
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
