import {join} from 'node:path';
import type {ValidateFunction} from 'ajv';
import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {readNow} from '../disk/known-file.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {decode, lineAt, parse, type JsonText} from './json-text.ts';
import {violationsOf, type JsonPath} from './validator.ts';

/**
 * Reads a JSON file and validates it. Throws `InputError` with every fault and its line: bytes that are not
 * UTF-8, broken JSON, a doubled member (`JSON.parse` would take the last one in silence), a broken schema.
 *
 * @param file path below `root`, as messages show it
 */
export function readJsonFile<T>(root: string, file: string, validate: ValidateFunction<T>): T {
  return validated(readJsonText(root, file), validate);
}

/** Reads and parses a JSON file, to be validated. Throws `InputError` as `readJsonFile` does. */
export function readJsonText(root: string, file: string): JsonText {
  return parse(file, decode(file, readBytes(root, file)));
}

/** Validates a JSON text that was parsed. Throws `InputError` with every fault and its line. */
export function validated<T>({file, text, tree, value: json}: JsonText, validate: ValidateFunction<T>): T {
  if (validate(json)) return json;
  const faults = violationsOf(validate).map(({path, value, rule}) => {
    return {file, line: lineOf(tree, text, path), field: fieldName(path), value, rule};
  });
  throw new InputError(faults);
}

function readBytes(root: string, file: string): Buffer {
  try {
    return readNow(join(root, file));
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    throw new InputError({file, rule: READ_RULES[code] ?? `cannot be read (${code})`}, {cause});
  }
}

const READ_RULES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder, not a file',
};

/** The line of the member, or of the nearest one above it that exists. */
function lineOf(tree: Node, text: string, path: JsonPath): number | undefined {
  const node = findNodeAtLocation(tree, [...path]);
  if (node) return lineAt(text, node.offset);
  return path.length > 0 ? lineOf(tree, text, path.slice(0, -1)) : undefined;
}

/** `payment.accepts[0].pay_to`; undefined for the whole value. */
export function fieldName(path: JsonPath): string | undefined {
  const name = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return name === '' ? undefined : name.replace(/^\./, '');
}

/** The JSON files that a publisher writes: lists, which may be long, are not among them. */
const WRITTEN = /^data\/(site|products\/[^/]+|sources\/.+\/datapackage)\.json$/;

/** What `read` gives. Of a fault of a member of a JSON file, where only its name is known, the line is looked up. */
export async function located<T>(root: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const faults = error.faults.map(fault => ({...fault, line: fault.line ?? lineIn(root, fault)}));
    throw new InputError(faults, {more: error.more, cause: error});
  }
}

function lineIn(root: string, {file, field}: Fault): number | undefined {
  if (field === undefined || !WRITTEN.test(file)) return undefined;
  const parts = field.split(/[.[\]]+/).filter(part => part !== '');
  try {
    const {text, tree} = readJsonText(root, file);
    const node = findNodeAtLocation(
      tree,
      parts.map(part => (/^\d+$/.test(part) ? Number(part) : part)),
    );
    return node && lineAt(text, node.offset);
  } catch {
    // The fault is told without it.
    return undefined;
  }
}
