import type {Node} from 'jsonc-parser';
import {InputError} from '../../shared/fault.ts';
import {property} from '../../build/read/data-package.ts';
import {parseWhole} from '../../build/rows/wrapped.ts';

/** How far down a list is looked for. */
const MOST_MEMBERS = 3;

/** The lists of objects inside an object of JSON, each by the members that lead to it; none where the file is something else. */
export async function listsInside(root: string, file: string): Promise<string[]> {
  try {
    const {tree} = await parseWhole(root, file);
    return listsBelow(tree, []);
  } catch (error) {
    // What is wrong with it is told by whoever reads it as what it is.
    if (error instanceof InputError) return [];
    throw error;
  }
}

function listsBelow({type, children = []}: Node, path: readonly string[]): string[] {
  if (type === 'array') {
    const name = path.join('.');
    const isNamed = path.every(member => !member.includes('.')) && new RegExp(property.pattern, 'u').test(name);
    return isNamed && children.length > 0 && children.every(row => row.type === 'object') ? [name] : [];
  }
  if (type !== 'object' || path.length === MOST_MEMBERS) return [];
  return children.flatMap(({children: [key, value] = []}) =>
    key && value ? listsBelow(value, [...path, String(key.value)]) : [],
  );
}
