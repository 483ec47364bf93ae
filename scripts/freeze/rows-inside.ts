import type {Node} from 'jsonc-parser';
import {property} from '../../build/read/data-package.ts';
import {parseWhole} from '../../build/rows/wrapped.ts';

/** How far down rows are looked for. */
const MOST_MEMBERS = 3;

type Path = readonly string[];

/** Where rows may stand inside an object of JSON. */
export interface RowsInside {
  /** The lists of objects, each by the members that lead to it. */
  readonly lists: readonly string[];
  /** The members that lead to an object whose members are rows, where there is one. */
  readonly members: Path | undefined;
}

/** Where rows may stand in a file of JSON. Throws `InputError` where it is not JSON, or too long to be parsed as a whole. */
export async function rowsInside(root: string, file: string): Promise<RowsInside> {
  const {tree} = await parseWhole(root, file);
  const lists: string[] = [];
  let members: Path | undefined;
  const look = (node: Node, path: Path) => {
    if (isList(node, path)) lists.push(path.join('.'));
    // The lists in such rows belong to one row each.
    if (isOfRows(node)) members ??= path;
    else if (path.length < MOST_MEMBERS) for (const [name, value] of membersOf(node)) look(value, [...path, name]);
  };
  look(tree, []);
  return {lists, members};
}

function isList({type, children = []}: Node, path: Path): boolean {
  const isNamed = path.every(name => !name.includes('.')) && new RegExp(property.pattern, 'u').test(path.join('.'));
  return type === 'array' && isNamed && children.length > 0 && children.every(row => row.type === 'object');
}

/** Whether the members of an object are rows: objects that have a member in common. */
function isOfRows(node: Node): boolean {
  const rows = membersOf(node).map(([, row]) => new Set(membersOf(row).map(([name]) => name)));
  const [first = [], ...others] = rows;
  return others.length > 0 && [...first].some(name => others.every(row => row.has(name)));
}

function membersOf({type, children = []}: Node): [name: string, value: Node][] {
  if (type !== 'object') return [];
  return children.flatMap(({children: [key, value] = []}): [string, Node][] =>
    key && value ? [[String(key.value), value]] : [],
  );
}
