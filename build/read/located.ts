import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {findNodeAtLocation, parseTree} from 'jsonc-parser';
import {InputError, type Fault} from '../../shared/fault.ts';
import {lineAt} from './json-text.ts';

/** The JSON files that a publisher writes: lists, which may be long, are not among them. */
const WRITTEN = /^data\/(site|products\/[^/]+|sources\/.+\/datapackage)\.json$/;

/** What `read` gives. Of a fault of a member of a JSON file, where only its name is known, the line is looked up. */
export async function located<T>(root: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const faults = error.faults.map(fault => ({...fault, line: fault.line ?? lineOf(root, fault)}));
    throw new InputError(faults, {more: error.more, cause: error});
  }
}

function lineOf(root: string, {file, field}: Fault): number | undefined {
  if (field === undefined || !WRITTEN.test(file)) return undefined;
  try {
    const text = readFileSync(join(root, file), 'utf8');
    const tree = parseTree(text);
    const node = tree && findNodeAtLocation(tree, pathOf(field));
    return node && lineAt(text, node.offset);
  } catch {
    // The fault is told without it.
    return undefined;
  }
}

/** The way to `payment.accepts[0].pay_to`. */
function pathOf(field: string): (string | number)[] {
  const parts = field.split(/[.[\]]+/).filter(part => part !== '');
  return parts.map(part => (/^\d+$/.test(part) ? Number(part) : part));
}
