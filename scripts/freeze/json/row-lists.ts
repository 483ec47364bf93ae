import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {property} from '../../../build/read/data-package.ts';
import {parseWhole} from '../../../build/rows/survey.ts';

/** How many members deep lists are searched. */
const MOST_MEMBERS = 3;
const isProperty = new RegExp(property.pattern, 'u');

/** Returns the paths of the lists of objects in a JSON object. Throws `InputError` if it is not JSON, or too large to be parsed. */
export async function rowListsIn(root: string, file: string): Promise<readonly string[]> {
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
