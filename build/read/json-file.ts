import type {ValidateFunction} from 'ajv';
import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {readInput} from '../disk/plain-file.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {decode, fieldName, lineAt, parse, type JsonPath, type JsonText} from '../../shared/json-text.ts';
import {isNestedDeeper} from './limits.ts';
import {violationsOf, type Violation} from './validator.ts';
import {invisibleRule, isPlain} from '../../shared/printable.ts';

/** How long JSON files may be: what a person writes, site or product; a descriptor, whose schema may list many classes; a list. */
const MOST_BYTES = {page: 1 << 20, descriptor: 4 << 20, list: 64 << 20} as const;

/** How deep they may be nested: what walks a value by calling itself then never runs out of stack. */
const MOST_LEVELS = 64;

/** How many faults of one file are told with their lines; the rest is counted. */
const MOST_FAULTS = 100;

/**
 * Reads a JSON file and validates it. Throws `InputError` with every fault and its line: bytes that are not
 * UTF-8, broken JSON, a doubled member (`JSON.parse` would take the last one in silence), a broken schema.
 *
 * @param file path below `root`, as messages show it
 * @param most how long it may be
 */
export function readJsonFile<T>(
  root: string,
  file: string,
  validate: ValidateFunction<T>,
  most: keyof typeof MOST_BYTES = 'page',
): T {
  return validated(readJsonText(root, file, most), validate);
}

/** Reads and parses a JSON file, to be validated. Throws `InputError` as `readJsonFile` does. */
export function readJsonText(root: string, file: string, most: keyof typeof MOST_BYTES = 'page'): JsonText {
  const text = decode(file, readInput(root, file, MOST_BYTES[most]));
  if (isNestedDeeper(text, MOST_LEVELS))
    throw new InputError({file, rule: `is nested more than ${MOST_LEVELS} levels deep`});
  return parse(file, text);
}

/** Validates a JSON text that was parsed. Throws `InputError` with every fault and its line. */
export function validated<T>(json: JsonText, validate: ValidateFunction<T>): T {
  const {faults, more} = faultsIn(json, validate);
  if (faults.length > 0) throw new InputError(faults, {more});
  return json.value as T;
}

/** What is wrong with a JSON text that was parsed: faults with their lines, and how many more there are. */
export function faultsIn(
  source: JsonText,
  validate: ValidateFunction,
): {readonly faults: readonly Fault[]; readonly more: number} {
  const {file, text, value: json} = source;
  // Without an escape, a plain text has no invisible character.
  const isVisible = isPlain(text) && !text.includes('\\');
  const invisible = WRITTEN.test(file) && !isVisible ? invisibleTexts(json) : [];
  const places = new Set(invisible.map(({path}) => path.join('.')));
  const broken = validate(json) ? [] : violationsOf(validate);
  const violations = [...invisible, ...broken.filter(({path}) => !places.has(path.join('.')))];
  const faults = violations.slice(0, MOST_FAULTS).map(({path, value, rule}) => {
    return {file, line: lineOf(source.tree, text, path), field: fieldName(path), value, rule};
  });
  return {faults, more: violations.length - faults.length};
}

/** The line of the member, or of the nearest one above it that exists. */
function lineOf(tree: Node, text: string, path: JsonPath): number | undefined {
  const node = findNodeAtLocation(tree, [...path]);
  if (node) return lineAt(text, node.offset);
  return path.length > 0 ? lineOf(tree, text, path.slice(0, -1)) : undefined;
}

/** The JSON files that a publisher writes: lists, which may be long, are not among them. */
const WRITTEN = /^data\/(site|products\/[^/]+|sources\/.+\/datapackage)\.json$/;

/** What `read` gives. Of a fault of a member of a JSON file, where only its name is known, the line is looked up. */
export async function located<T>(root: string, read: () => Promise<T>): Promise<T> {
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

/** @param texts those that were read already */
function lineIn(root: string, {file, field}: Fault, texts: Map<string, JsonText | undefined>): number | undefined {
  if (field === undefined || !WRITTEN.test(file)) return undefined;
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
    // The fault is told without its line.
    return undefined;
  }
}

/** Members whose texts are values of a list, which may have any characters: classes of a product and of a column, and missing values. */
const VALUES =
  /^(class|resources\.\d+\.schema\.(missingValues|fields\.\d+\.(example|constraints\.enum|missingValues)))(\.|$)/;

/** The texts and names of members in a file that a publisher writes which have an invisible character. */
export function invisibleTexts(value: unknown, path: JsonPath = []): Violation[] {
  if (VALUES.test(path.join('.'))) return [];
  if (typeof value === 'string') {
    const rule = invisibleRule(value);
    return rule === undefined ? [] : [{path, value, rule}];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => invisibleTexts(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const rule = invisibleRule(name);
    const at = [...path, name];
    return [...(rule === undefined ? [] : [{path: at, value: undefined, rule}]), ...invisibleTexts(member, at)];
  });
}
