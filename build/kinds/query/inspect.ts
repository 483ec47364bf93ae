import type {Freeze} from '../../read/freezes.ts';
import {AVERAGES, FUNCTIONS, REPLACEMENTS, TYPES} from './allowed.ts';
import {queryError, type Refused} from './fault.ts';
import {small, type SyntaxNode} from './syntax.ts';

const functions = new Set(FUNCTIONS.flatMap(({names}) => names));
const ordered = new Set(FUNCTIONS.filter(({follows}) => follows === 'values').flatMap(({names}) => names));
const types = new Set(TYPES.flatMap(({names}) => names));
/** Table functions whose rows depend only on their arguments. */
const TABLE_FUNCTIONS = ['unnest', 'range', 'generate_series', 'regexp_split_to_table'];
const TABLE_NODES = /^(EMPTY|BASE_TABLE|SUBQUERY|JOIN|TABLE_FUNCTION|EXPRESSION_LIST|PIVOT|COLUMN_DATA|CTE)$/;
const QUERY_NODES = /^(SELECT|SET_OPERATION|CTE|RECURSIVE_CTE)_NODE$/;
const EXPRESSIONS =
  /^(BETWEEN|CASE|CAST|COLLATE|COLUMN_REF|COMPARISON|CONJUNCTION|CONSTANT|FUNCTION|LAMBDA(_REF)?|OPERATOR|POSITIONAL_REFERENCE|STAR|SUBQUERY|WINDOW)$/;
/** Names that SQL writes like a column but that return the clock or session state if such a column does not exist. */
const CONSTANTS_OF_THE_SESSION =
  /^(current_(catalog|database|date|role|schemas?|time|timestamp|user)|localtime(stamp)?|user|session_user)$/;
const UNSURE = 'can return a different result at another time or on another machine';

/** Functions whose second argument names a function, a format or a type, which is checked as well. */
const CHECKED_ARGUMENTS: readonly (readonly [RegExp, (text: string) => Refused | undefined])[] = [
  [/^((list|array)_aggr(egate)?|aggregate)$/, other => (functions.has(small(other)) ? undefined : refusedCall(other))],
  [/^(try_)?strptime$/, format => (/%z/i.test(format) ? `the time zone in "${format}" ${UNSURE}` : undefined)],
  [/^(from_json|json_transform)(_strict)?$/, structureRule],
];

interface Names {
  /** The tables and common table expressions in scope. */
  readonly tables: ReadonlySet<string>;
  /** Every function of DuckDB. For an unknown function, DuckDB's own error suggests the right name. */
  readonly known: ReadonlySet<string>;
}

/**
 * Checks that a query depends only on the given tables: it reads no others, and uses only functions and types that give the same result
 * everywhere. Throws `InputError` with the position of the first violation.
 *
 * @param known the names of all functions of DuckDB
 */
export function inspect(statement: SyntaxNode, freezes: ReadonlyMap<string, Freeze>, known: ReadonlySet<string>): void {
  inspectNode(statement, {tables: new Set([...freezes.keys()].map(small)), known});
}

/** A common table expression is in scope in later ones and in the query itself, and within itself only if it is recursive. */
function inspectNode(value: unknown, names: Names): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const inner of value) inspectNode(inner, names);
    return;
  }
  const {cte_map, ...node} = value as SyntaxNode & {cte_map?: {map?: readonly {key: string; value: unknown}[]}};
  const rule = queryRule(value) ?? tableRule(node, names) ?? expressionRule(node, names);
  if (rule !== undefined) throw queryError(rule, {position: positionOf(node)});
  let seen = names;
  for (const {key, value: defined} of cte_map?.map ?? []) {
    inspectNode(defined, seen);
    seen = withTable(seen, key);
  }
  const own = node['type'] === 'RECURSIVE_CTE_NODE' ? withTable(seen, String(node['cte_name'])) : seen;
  // The left side of a recursive expression computes its first rows, so it cannot read the expression itself.
  for (const [member, inner] of Object.entries(sorted(node))) inspectNode(inner, member === 'left' ? seen : own);
}

function withTable(names: Names, table: string): Names {
  return {...names, tables: new Set([...names.tables, small(table)])};
}

function queryRule(node: object): string | undefined {
  const {type} = node as SyntaxNode;
  return 'cte_map' in node && !QUERY_NODES.test(String(type)) ? `${String(type)} is not allowed` : undefined;
}

function tableRule(node: SyntaxNode, {tables}: Names): Refused | undefined {
  const [type, name] = [String(node['type']), String(node['table_name'])];
  if (node['sample']) return 'a random sample is not reproducible';
  if (type === 'BASE_TABLE') {
    const qualified = node['catalog_name'] !== '' || node['schema_name'] !== '';
    if (tables.has(small(name)) && !qualified) return undefined;
    return `"${name}" is not a table of this product, which has ${[...tables].join(', ')}`;
  }
  if (type === 'TABLE_FUNCTION') {
    const called = String((node['function'] as SyntaxNode | undefined)?.['function_name']);
    if (TABLE_FUNCTIONS.includes(small(called))) return undefined;
    const rule = `${called}() cannot be used in FROM`;
    return /^json_(each|tree)$/.test(small(called))
      ? {rule, fix: 'Write unnest(x::JSON[]) for the elements of a list.'}
      : rule;
  }
  const isTable = 'sample' in node && 'query_location' in node && !('class' in node) && !QUERY_NODES.test(type);
  return isTable && !TABLE_NODES.test(type) ? `${type} cannot be used in FROM` : undefined;
}

function expressionRule(node: SyntaxNode, names: Names): Refused | undefined {
  const {class: kind, function_name: called, cast_type: type} = node;
  if (typeof kind === 'string' && !EXPRESSIONS.test(kind)) return `${kind.toLowerCase()} is not allowed`;
  if (typeof called === 'string') return functionRule(called, node, names);
  return typeRule(type) ?? columnRule(node);
}

function functionRule(called: string, node: SyntaxNode, {known}: Names): Refused | undefined {
  const name = small(called);
  if (!functions.has(name)) return known.has(name) ? refusedCall(called) : undefined;
  const {children} = node;
  if (isWithoutOrder(node, name))
    return {rule: `${called}(DISTINCT …) does not specify an order`, fix: 'Add an ORDER BY at the end of the call.'};
  const [, ruleOf] = CHECKED_ARGUMENTS.find(([pattern]) => pattern.test(name)) ?? [];
  if (!ruleOf) return undefined;
  const texts = textsIn((children as readonly SyntaxNode[])[1]);
  if (!texts) return `${called}() needs a text in quotation marks as its second argument`;
  return texts.map(ruleOf).find(rule => rule !== undefined);
}

function refusedCall(called: string): Refused {
  const name = small(called);
  const why = AVERAGES.includes(name) ? 'computes in a precision that differs between platforms' : UNSURE;
  return {rule: `${called}() ${why}`, fix: REPLACEMENTS.find(([names]) => names.includes(name))?.[1]};
}

/**
 * Removes the DISTINCT of a list that is sorted, because the sort decides the order: DuckDB writes `list(DISTINCT x ORDER BY x)` as
 * `list_sort(list(DISTINCT x))`. Returns any other call unchanged.
 */
function sorted(node: SyntaxNode): SyntaxNode {
  if (!/^(list|array)_(reverse_)?sort$/.test(String(node['function_name']))) return node;
  const [list, ...more] = node['children'] as readonly SyntaxNode[];
  return {...node, children: [{...list, distinct: false}, ...more]};
}

function isWithoutOrder(node: SyntaxNode, name: string): boolean {
  const {distinct, order_bys, arg_orders = (order_bys as SyntaxNode | undefined)?.['orders']} = node;
  return distinct === true && ordered.has(name) && Array.isArray(arg_orders) && arg_orders.length === 0;
}

/** The string literal in a node, or the literals in a list. Undefined if it is computed. */
function textsIn(node: SyntaxNode | undefined): readonly string[] | undefined {
  const {function_name: called, children, value} = node ?? {};
  if (called === 'list_value') {
    const texts = (children as readonly SyntaxNode[]).map(textsIn);
    return texts.every(text => text !== undefined) ? texts.flat() : undefined;
  }
  const text = (value as {value?: unknown} | undefined)?.value;
  return typeof text === 'string' ? [text] : undefined;
}

function structureRule(text: string): string | undefined {
  const named: string[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => typeof value === 'string' && named.push(value));
  } catch {
    return 'a structure is not JSON';
  }
  const other = named.find(name => !types.has(small(name.replace(/(\([\d, ]*\))?(\[\d*\])*$/, ''))));
  return other === undefined ? undefined : `${other} is not a type that a structure may contain`;
}

function typeRule(type: unknown): string | undefined {
  if (typeof type !== 'object' || type === null) return undefined;
  const {id, type_info: info} = type as {id?: unknown; type_info?: {name?: unknown} | null};
  const name = id === 'UNBOUND' ? info?.name : id;
  if (typeof name === 'string' && !types.has(small(name))) return `${name} is not a type that a query may use`;
  for (const inner of Object.values(type)) {
    const rule = typeRule(inner);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** A name is surely a column only if it is qualified with its table. Otherwise it can mean a session constant. */
function columnRule(node: SyntaxNode): Refused | undefined {
  const names = node['column_names'];
  if (node['class'] !== 'COLUMN_REF' || !Array.isArray(names) || names.length !== 1) return undefined;
  const name = small(String(names[0]));
  if (!CONSTANTS_OF_THE_SESSION.test(name)) return undefined;
  return {rule: `${name} ${UNSURE}`, fix: `If it is a column, write table.${name}.`};
}

function positionOf(node: SyntaxNode): number | undefined {
  const location = node['query_location'] ?? (node['function'] as SyntaxNode | undefined)?.['query_location'];
  return typeof location === 'number' && Number.isSafeInteger(location) ? location + 1 : undefined;
}
