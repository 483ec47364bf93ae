import {parseTree, findNodeAtLocation, type Node} from 'jsonc-parser';
import {InputError} from '../../shared/fault.ts';
import {AFTER_END, MERGE_CONFLICT} from '../../shared/json-text.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {isNestedDeeper, MAX_DEPTH} from '../../build/read/limits.ts';
import {NOT_UTF8} from '../../build/rows/faults/in-text.ts';
import {headBytes} from './csv/head-bytes.ts';
import {headerIn} from './csv/header.ts';
import type {DeclaredHeader} from './csv/header-fault.ts';
import {wideUnicodeIn} from './encoding.ts';
import {property, type Format} from '../../build/read/data-package.ts';
import {parseWhole} from '../../build/rows/survey.ts';

/** The actual content of a file that does not have the expected format, and a remedy if there is a special one. */
type Content = readonly [what: string, fix?: string];

const SIGNATURES: Readonly<Record<string, Content>> = {
  '50415231': ['Parquet'],
  '1f8b': ['gzip'],
  '504b0304': ['a ZIP archive, such as a spreadsheet', 'Save it as CSV.'],
};

const ONE_OBJECT_EACH = 'Write one object for each row. docs/lists.md has commands for that.';

const EXPECTED = {csv: 'CSV', ndjson: 'NDJSON', json: 'a JSON array', parquet: 'Parquet'} as const;

/**
 * Checks the beginning of a decompressed file, and returns the header of CSV. Throws `InputError` if the content does not match the file's
 * name.
 *
 * @param property the path of the list inside a JSON object
 */
export async function beginningOf(
  root: string,
  file: string,
  format: Format,
  property: string | undefined,
  declared: DeclaredHeader,
) {
  const {head, isWhole} = await headBytes(root, file);
  if (head.length === 0) throw new InputError({code: 'FZ126', file, rule: 'is empty'});
  const start = head.toString('hex', 0, 4);
  const signature = Object.entries(SIGNATURES).find(([hex]) => start.startsWith(hex))?.[1];
  if (!signature && format !== 'parquet' && wideUnicodeIn(head))
    throw new InputError({code: 'FZ104', file, rule: NOT_UTF8});
  const [what, fix] =
    signature ??
    (format === 'parquet' ? ['text or something unknown'] : await unexpectedText(root, file, head, format, property)) ??
    [];
  if (what !== undefined && what !== EXPECTED[format])
    throw new InputError({code: 'FZ121', file, rule: `is not ${EXPECTED[format]}, as its name says, but ${what}`, fix});
  return format === 'csv' ? headerIn(head, isWhole, file, declared) : undefined;
}

/** The start of a CSV header with names in brackets, such as `<TICKER>,<DATE>` of stock exchanges and `[id],[name]` of SQL Server. */
const BRACKETED = /^\ufeff?\s*[<[{][\p{L}_][^<>[\]{}":]*[>\]}][,;|\t]/u;

/** Describes a text that is not in the expected format, or returns undefined. Decides by the first characters. */
async function unexpectedText(
  root: string,
  file: string,
  head: Buffer,
  format: 'csv' | 'ndjson' | 'json',
  property: string | undefined,
): Promise<Content | undefined> {
  const text = head.toString('utf8', 0, 1024);
  if (text.startsWith('\ufeff') && format !== 'csv')
    return [
      'text with a byte order mark, which JSON must not have',
      'Unpack the file if it is compressed, and remove the mark, for example with `tail -c +4 old.json > new.json`.',
    ];
  if (text.includes('\0')) return ['something binary'];
  const first = text
    .replace(/^\ufeff/, '')
    .trimStart()
    .charAt(0);
  if (MERGE_CONFLICT.start.test(text)) return ['the two versions of a merge conflict in git', MERGE_CONFLICT.fix];
  if (format === 'csv' && BRACKETED.test(text)) return undefined;
  if (first === '<') return ['HTML or XML', 'Open it in a browser: it may be the error page of a server.'];
  const second = text.trimStart().split('\n')[1]?.trimStart() ?? '';
  if (format === 'ndjson' && ((first === '[' && second.startsWith('[')) || /["\d]/.test(first)))
    return ['values without names, one per line', ONE_OBJECT_EACH];
  if (first === '[' && format !== 'json')
    return ['JSON', 'If it is an array, give the file a name that ends in .json.'];
  if (first === '{' && format === 'csv')
    return ['JSON', 'Give the file a name that ends in .json, or in .ndjson if it has one object per line.'];
  if (first === '{' && property !== undefined) return undefined;
  if (first === '{' && format === 'json') return await anObject(root, file, head);
  if (format === 'json' && first === '[') refuseOddArray(head, file);
  return (first === '[' || first === '{') === (format !== 'csv') ? undefined : ['another text'];
}

/** Explains why a JSON object is not a list of rows. Throws `InputError` if the file is not JSON. */
async function anObject(root: string, file: string, head: Buffer): Promise<Content> {
  const [line = '', next] = head.toString('utf8').trimStart().split('\n');
  if (next?.startsWith('{') && parsedJson(line) !== undefined)
    return ['objects, one per line', 'Give the file a name that ends in .ndjson.'];
  try {
    const lists = await rowListsIn(root, file);
    if (lists.length === 0) return ['an object without a list of rows', ONE_OBJECT_EACH];
    return [
      'an object with a list of rows',
      `Add ${lists.map(property => `\`--property ${property}\``).join(' or ')}.`,
    ];
  } catch (error) {
    const isStream = error instanceof InputError && error.faults[0]?.rule.endsWith(AFTER_END.rule) === true;
    if (!isStream) throw error;
    return ['several values, one after the other', ONE_OBJECT_EACH];
  }
}

/** Throws `InputError` if the first element of an array is not an object. */
function refuseOddArray(head: Buffer, file: string): void {
  const text = head.toString('utf8');
  if (isNestedDeeper(text, MAX_DEPTH)) return;
  const [first] = parseTree(text)?.children ?? [];
  if (!first || first.type === 'object') return;
  const rule = `is a list of ${first.type}s, not of objects`;
  throw new InputError({code: 'FZ107', file, rule, fix: ONE_OBJECT_EACH});
}

/** How many members deep lists are searched. */
const MOST_MEMBERS = 3;
const isProperty = new RegExp(property.pattern, 'u');

/** Returns the paths of the lists of objects in a JSON object. Throws `InputError` if it is not JSON, or too large to be parsed. */
async function rowListsIn(root: string, file: string): Promise<readonly string[]> {
  const {tree} = await parseWhole(root, file);
  // With orient="table", pandas writes the columns to `schema.fields`.
  const isOfPandas = findNodeAtLocation(tree, ['schema', 'pandas_version']) !== undefined;
  return listsIn(tree, []).filter(list => !isOfPandas || list !== 'schema.fields');
}

function listsIn({type, children = []}: Node, path: readonly string[]): string[] {
  if (type === 'array') {
    const isNamed = path.every(name => !name.includes('.')) && isProperty.test(path.join('.'));
    return isNamed && children.length > 0 && children.every(row => row.type === 'object') ? [path.join('.')] : [];
  }
  if (type !== 'object' || path.length === MOST_MEMBERS) return [];
  return children.flatMap(({children: [key, value] = []}) =>
    key && value ? listsIn(value, [...path, String(key.value)]) : [],
  );
}
