import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {property} from '../../../build/read/data-package.ts';
import {parseWhole} from '../../../build/rows/survey.ts';

/** How many members deep rows are searched. */
const MOST_MEMBERS = 3;

type Path = readonly string[];

/** Possible rows inside a JSON object. */
export interface RowsInside {
  /** The paths of the lists of objects. */
  readonly lists: readonly string[];
  /** The path of an object whose members are rows, if there is one. */
  readonly members: Path | undefined;
  /**
   * The form of a whole table, as pandas writes it: `split` has names and rows separately, `columns` and `lists` a member for each column.
   */
  readonly shape: 'split' | 'columns' | 'lists' | undefined;
}

/** Finds possible rows in a JSON file. Throws `InputError` if it is not JSON, or too large to be parsed as a whole. */
export async function rowsInside(root: string, file: string): Promise<RowsInside> {
  const {tree} = await parseWhole(root, file);
  const lists: string[] = [];
  let members: Path | undefined;
  const look = (node: Node, path: Path) => {
    if (isList(node, path)) lists.push(path.join('.'));
    // Lists inside such rows belong to a single row, so they are not searched.
    if (isOfRows(node)) members ??= path;
    else if (path.length < MOST_MEMBERS) for (const [name, value] of membersOf(node)) look(value, [...path, name]);
  };
  look(tree, []);
  // With orient="table", pandas writes the columns to `schema.fields`.
  const isOfPandas = lists.includes('data') && findNodeAtLocation(tree, ['schema', 'pandas_version']) !== undefined;
  return {
    lists: lists.filter(list => !isOfPandas || list !== 'schema.fields'),
    members,
    shape: shapeOf(tree),
  };
}

function isList({type, children = []}: Node, path: Path): boolean {
  const isNamed = path.every(name => !name.includes('.')) && new RegExp(property.pattern, 'u').test(path.join('.'));
  return type === 'array' && isNamed && children.length > 0 && children.every(row => row.type === 'object');
}

/** True if the members of an object are rows: objects that share a member. */
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

function shapeOf(tree: Node): RowsInside['shape'] {
  const members = new Map(membersOf(tree));
  const isOfLists = (node?: Node) =>
    node?.type === 'array' &&
    (node.children ?? []).length > 0 &&
    (node.children ?? []).every(({type}) => type === 'array');
  if (members.get('columns')?.type === 'array' && isOfLists(members.get('data'))) return 'split';
  const values = [...members.values()];
  const lengths = new Set(values.map(({type, children = []}) => (type === 'array' ? children.length : 0)));
  const isScalar = ({type}: Node) => type !== 'object' && type !== 'array';
  const isFlat = values.every(({children = []}) => children.every(isScalar));
  if (values.length > 0 && isFlat && lengths.size === 1 && !lengths.has(0)) return 'lists';
  return isOfColumns(tree) ? 'columns' : undefined;
}

/**
 * True if the members are columns whose values have the same labels: the labels are numbers, or the values are of one type by column and
 * not by label.
 */
function isOfColumns(tree: Node): boolean {
  const columns = membersOf(tree).map(([name, column]) => ({name, values: membersOf(column)}));
  const labels = new Set(columns.map(({values}) => values.map(([label]) => label).join('\n')));
  if (columns.length === 0 || labels.size > 1 || labels.has('')) return false;
  const isNumber = (text: string) => /^-?\d+$/.test(text);
  const areNumbered = (names: readonly string[]) => names.every(isNumber);
  const [first] = columns;
  const firstLabels = first?.values.map(([label]) => label) ?? [];
  if (areNumbered(firstLabels)) return !areNumbered(columns.map(({name}) => name));
  const isAlike = (nodes: readonly Node[]) =>
    new Set(nodes.flatMap(({type}) => (type === 'null' ? [] : type))).size <= 1;
  const byColumn = columns.every(({values}) => isAlike(values.map(([, node]) => node)));
  const byLabel = firstLabels.every((_, index) => isAlike(columns.flatMap(({values}) => values[index]?.[1] ?? [])));
  return byColumn && !byLabel;
}
