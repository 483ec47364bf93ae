import {quoted} from '../../shared/command-line.ts';
import {InputError} from '../../shared/fault.ts';
import {NOT_UTF8} from '../../build/rows/faults/broken-text.ts';
import {headBytes} from './csv/head-bytes.ts';
import {headerIn, type CsvHeader} from './csv/header.ts';
import type {DeclaredHeader} from './csv/header-doubts.ts';
import {wideUnicodeIn} from './encoding.ts';
import type {FileForm} from './file-name.ts';
import {rowsInside} from './rows-inside.ts';

const SIGNATURES: readonly (readonly [hex: string, what: string])[] = [
  ['50415231', 'Parquet'],
  ['1f8b', 'gzip'],
  ['504b0304', 'a ZIP archive, as a spreadsheet is: save it as CSV'],
];

const EXPECTED = {csv: 'CSV', ndjson: 'NDJSON', json: 'a JSON array', parquet: 'Parquet'} as const;

/**
 * Looks at the beginning of a file, unpacked. Throws `InputError` where it is not what its name says.
 *
 * @param property where the list stands inside an object of JSON
 * @param declared what is known of the header of CSV
 * @returns the header of CSV
 */
export async function beginningOf(
  root: string,
  file: string,
  {format, tabs}: FileForm,
  delimiter: string | undefined,
  property: string | undefined,
  declared: DeclaredHeader,
): Promise<CsvHeader | undefined> {
  const {head, isWhole} = await headBytes(root, file);
  if (head.length === 0) throw new InputError({file, rule: 'is empty'});
  const start = head.toString('hex', 0, 4);
  const signature = SIGNATURES.find(([hex]) => start.startsWith(hex))?.[1];
  if (!signature && format !== 'parquet' && wideUnicodeIn(head)) throw new InputError({file, rule: NOT_UTF8});
  const what =
    signature ??
    (format === 'parquet' ? 'text or something unknown' : await strangeText(root, file, head, format, property));
  if (what !== undefined && what !== EXPECTED[format])
    throw new InputError({file, rule: `is not ${EXPECTED[format]}, as its name says, but ${what}`});
  return format === 'csv' ? headerIn(head, isWhole, file, delimiter ?? (tabs ? '\t' : undefined), declared) : undefined;
}

/** What a text is that is not of its format, as far as its first characters tell. */
async function strangeText(
  root: string,
  file: string,
  head: Buffer,
  format: 'csv' | 'ndjson' | 'json',
  property: string | undefined,
): Promise<string | undefined> {
  const text = head.toString('utf8', 0, 1024);
  if (text.startsWith('\ufeff') && format !== 'csv')
    return 'text with a byte order mark, which JSON must not have: save it without';
  if (text.includes('\0')) return 'something binary';
  const first = text
    .replace(/^\ufeff/, '')
    .trimStart()
    .charAt(0);
  if (first === '<') return 'HTML or XML';
  if (first === '[' && format !== 'json') return 'JSON: name an array .json';
  if (first === '{' && format === 'csv') return 'JSON: name it .json, and objects, one a line, .ndjson';
  if (first === '{' && property !== undefined) return undefined;
  if (first === '{' && format === 'json') return await anObject(root, file, head);
  return (first === '[' || first === '{') === (format !== 'csv') ? undefined : 'another text';
}

/** Says why an object is not a list of rows; most hold one. Throws `InputError` where the file is not JSON at all. */
async function anObject(root: string, file: string, head: Buffer): Promise<string> {
  const [line = '', next] = head.toString('utf8').trimStart().split('\n');
  if (next !== undefined && next.startsWith('{') && isJson(line)) return 'objects, one a line: name it .ndjson';
  const {lists, members} = await rowsInside(root, file);
  if (lists.length > 0)
    return `an object that holds a list of rows: add ${lists.map(property => `--rows ${property}`).join(' or ')}`;
  const path = (members ?? []).map(name => `.${JSON.stringify(name)}`).join('') || '.';
  const program = quoted(`[${path} | to_entries[] | {key} + .value]`);
  return `an object without a list of rows: make rows of ${members?.length ? `the members of ${members.join('.')}` : 'its members'} with jq ${program}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
