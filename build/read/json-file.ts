import type {ValidateFunction} from 'ajv';
import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {readInput} from '../disk/plain-file.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {decode, fieldName, lineAt, parse, type JsonPath, type JsonText} from '../../shared/json-text.ts';
import {isNestedDeeper} from './limits.ts';
import {closeHint} from '../../shared/source-name.ts';
import {violationsOf, type Violation} from './validator.ts';
import {invisibleRule, isPlain} from '../../shared/printable.ts';

/** The most bytes of JSON files: site and product files, descriptors (whose schema may list many classes), and lists. */
const MOST_BYTES = {page: 1 << 20, descriptor: 4 << 20, list: 64 << 20} as const;

/** The deepest nesting, so that recursive functions do not overflow the stack. */
const MOST_LEVELS = 64;

/** The most errors of a file that are reported with their lines. The others are only counted. */
const MOST_FAULTS = 100;

/**
 * Reads and validates a JSON file. Throws `InputError` with all errors and their lines: bytes that are not UTF-8, invalid JSON, a duplicate
 * member (which `JSON.parse` would accept), a violation of the schema.
 * @param file path below `root`, as shown in messages
 * @param most the kind of file, which limits its length
 */
export function readJsonFile<T>(
  root: string,
  file: string,
  validate: ValidateFunction<T>,
  most: keyof typeof MOST_BYTES = 'page',
): T {
  return validated(readJsonText(root, file, most), validate);
}

/** Reads and parses a JSON file without validating it. Throws `InputError` as `readJsonFile` does. */
export function readJsonText(root: string, file: string, most: keyof typeof MOST_BYTES = 'page'): JsonText {
  const text = decode({file}, readInput(root, file, MOST_BYTES[most]));
  if (isNestedDeeper(text, MOST_LEVELS))
    throw new InputError({code: 'FZ202', file, rule: `is nested more than ${MOST_LEVELS} levels deep`});
  return parse({file}, text);
}

/** Validates parsed JSON. Throws `InputError` with all errors and their lines. */
export function validated<T>(json: JsonText, validate: ValidateFunction<T>): T {
  const {faults, more} = faultsIn(json, validate);
  if (faults.length > 0) throw new InputError(faults, {more});
  return json.value as T;
}

/** Returns the errors of parsed JSON with their lines, and how many more there are. */
export function faultsIn(
  source: JsonText,
  validate: ValidateFunction,
): {readonly faults: readonly Fault[]; readonly more: number} {
  const {at, text, value: json} = source;
  // Plain text without an escape cannot contain invisible characters.
  const isVisible = isPlain(text) && !text.includes('\\');
  const invisible = WRITTEN.test(at.file ?? '') && !isVisible ? invisibleTexts(json) : [];
  const places = new Set(invisible.map(({path}) => path.join('.')));
  const broken = validate(json) ? [] : violationsOf(validate);
  const violations = [...invisible, ...broken.filter(({path}) => !places.has(path.join('.')))];
  const faults = violations.slice(0, MOST_FAULTS).map(({path, value, code, rule, known}) => {
    const hint = known ? closeHint(String(path.at(-1)), known) : '';
    return {code, ...at, line: lineOf(source.tree, text, path), field: fieldName(path), value, rule: rule + hint};
  });
  return {faults, more: violations.length - faults.length};
}

function lineOf(tree: Node, text: string, path: JsonPath): number | undefined {
  const node = findNodeAtLocation(tree, [...path]);
  if (node) return lineAt(text, node.offset);
  return path.length > 0 ? lineOf(tree, text, path.slice(0, -1)) : undefined;
}

/** JSON files that publishers write by hand. Lists are not included, because they may be long. */
const WRITTEN = /^data\/(site|products\/[^/]+|sources\/.+\/datapackage)\.json$/;

/** Calls `read`, and adds missing lines to errors about members of JSON files. */
export async function located<T>(root: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const texts = new Map<string, JsonText | undefined>();
    const faults = error.faults.map((fault, index) => {
      return fault.line === undefined && index < MOST_FAULTS ? {...fault, line: lineIn(root, fault, texts)} : fault;
    });
    throw new InputError(faults, {cause: error});
  }
}

/** @param texts the files that were already read */
function lineIn(root: string, {file, field}: Fault, texts: Map<string, JsonText | undefined>): number | undefined {
  if (file === undefined || field === undefined || !WRITTEN.test(file)) return undefined;
  if (!texts.has(file)) texts.set(file, readAgain(root, file));
  const parts = field.split(/[.[\]]+/).filter(part => part !== '');
  const found = texts.get(file);
  const node =
    found &&
    findNodeAtLocation(
      found.tree,
      parts.map(part => (/^\d+$/.test(part) ? Number(part) : part)),
    );
  return found && node && lineAt(found.text, node.offset);
}

function readAgain(root: string, file: string): JsonText | undefined {
  try {
    return readJsonText(root, file, 'descriptor');
  } catch {
    // The error is reported without its line.
    return undefined;
  }
}

/** Members whose strings are values of a list and may have any characters: classes of a product or column, and missing values. */
const VALUES =
  /^(class|resources\.\d+\.schema\.(missingValues|fields\.\d+\.(example|constraints\.enum|missingValues)))(\.|$)/;

/** Returns the strings and member names with an invisible character, in a file that publishers write. */
function invisibleTexts(value: unknown, path: JsonPath = []): Violation[] {
  if (VALUES.test(path.join('.'))) return [];
  if (typeof value === 'string') {
    const rule = invisibleRule(value);
    return rule === undefined ? [] : [{path, value, code: 'FZ209', rule}];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => invisibleTexts(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const rule = invisibleRule(name);
    const at = [...path, name];
    return [
      ...(rule === undefined ? [] : [{path: at, value: undefined, code: 'FZ209' as const, rule}]),
      ...invisibleTexts(member, at),
    ];
  });
}
