import type {Freeze} from '../../read/freezes.ts';
import {QueryFault} from './fault.ts';
import type {SyntaxNode} from './syntax.ts';

/** Where rows may come from besides tables: these depend on nothing but their arguments. */
const TABLE_FUNCTIONS = ['unnest', 'range', 'generate_series'];
const TABLE_NODES = /^(EMPTY|BASE_TABLE|SUBQUERY|JOIN|TABLE_FUNCTION|EXPRESSION_LIST|PIVOT|COLUMN_DATA|CTE)$/;
const QUERY_NODES = /^(SELECT|SET_OPERATION|CTE|RECURSIVE_CTE)_NODE$/;

/** Functions that DuckDB itself does not call consistent: the clock, chance, the transaction. */
const FICKLE =
  /^(nextval|currval|random|setseed|uuid(v\d+)?|gen_random_uuid|now|today|transaction_timestamp|txid_current|write_log|sleep_ms|stats|error)$/;
/** Functions that DuckDB calls consistent though they tell of the clock, the session or the program. */
const SURROUNDINGS =
  /^(current_.*|localtime(stamp)?|get_current_.*|getvariable|version|user|session_user|age|ago|pg_.*|has_.*|inet_.*|in_search_path|get_block_size|.*_description|icu_.*|approx_.*|reservoir_quantile)$/;
/** Functions and operators that ask the mathematical library of the system, which has other digits on other processors. */
const OF_THE_PROCESSOR =
  /^(list_|array_)?(a?(sin|cos|tan)h?|atan2|cot|exp|pow|power|\*\*|\^|ln|log(2|10)?|cbrt|l?gamma|geo(metric_)?mean|entropy|kurtosis(_pop)?|skewness)$/;
/** Functions that are told the name of another. */
const BY_NAME = /^(list|array)_aggr(egate)?$|^aggregate$/;
const CONSTANTS_OF_THE_SESSION = /^(current_.*|localtime(stamp)?|user|session_user)$/;

/**
 * Checks that a query reads nothing but the given tables and depends on nothing but them: no file, no other table, no clock, no
 * chance, no session. Throws `QueryFault` with the position of what is not allowed.
 */
export function inspect(statement: SyntaxNode, freezes: ReadonlyMap<string, Freeze>): void {
  const nodes = [...nodesOf(statement)];
  const fields = [...freezes.values()].flatMap(({schema}) => schema?.fields ?? []);
  const tables = new Set([...freezes.keys(), ...nodes.flatMap(commonTables)].map(name => name.toLowerCase()));
  const columns = new Set(fields.map(({name}) => name.toLowerCase()));
  for (const node of nodes) {
    const sampled = node['sample'] ? 'a random sample is not the same twice' : undefined;
    const rule = tableRule(node, tables) ?? functionRule(node) ?? columnRule(node, columns) ?? sampled;
    if (rule !== undefined) throw new QueryFault(rule, positionOf(node));
  }
}

/** Every object of the tree, depth first. */
function* nodesOf(value: unknown): Generator<SyntaxNode> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as SyntaxNode;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

/** The names of the tables that a WITH clause defines. */
function commonTables(node: SyntaxNode): string[] {
  const entries = (node['cte_map'] as {map?: readonly {key: string}[]} | undefined)?.map ?? [];
  const recursive = typeof node['cte_name'] === 'string' ? [node['cte_name']] : [];
  return [...entries.map(({key}) => key), ...recursive];
}

function tableRule(node: SyntaxNode, tables: ReadonlySet<string>): string | undefined {
  const [type, name] = [String(node['type']), String(node['table_name'])];
  if (type === 'BASE_TABLE') {
    const qualified = node['catalog_name'] !== '' || node['schema_name'] !== '';
    return tables.has(name.toLowerCase()) && !qualified ? undefined : `"${name}" is not a table of this product`;
  }
  if (type === 'TABLE_FUNCTION') {
    const called = String((node['function'] as SyntaxNode | undefined)?.['function_name']);
    return TABLE_FUNCTIONS.includes(called) ? undefined : `${called}() may not be read from`;
  }
  const isTable = 'sample' in node && 'query_location' in node && !('class' in node) && !QUERY_NODES.test(type);
  return isTable && !TABLE_NODES.test(type) ? `${type} may not be read from` : undefined;
}

function functionRule({function_name: name, children}: SyntaxNode): string | undefined {
  if (typeof name !== 'string') return undefined;
  // Constants among the arguments, too, where they are texts.
  const texts = BY_NAME.test(name.toLowerCase()) ? [...nodesOf(children)].map(({value}) => value) : [];
  const names = [name, ...texts].filter(one => typeof one === 'string');
  const unsure = names.find(one => isUnsure(one.toLowerCase()));
  return unsure === undefined ? undefined : `${unsure}() does not give the same result everywhere and always`;
}

/** Whether a function, by its name in small letters, may give another result at another time or place. */
export function isUnsure(name: string): boolean {
  return FICKLE.test(name) || SURROUNDINGS.test(name) || OF_THE_PROCESSOR.test(name);
}

/** `current_date` and the like are written as columns; a column of the product's own may be called so. */
function columnRule(node: SyntaxNode, own: ReadonlySet<string>): string | undefined {
  const names = node['column_names'];
  if (node['class'] !== 'COLUMN_REF' || !Array.isArray(names) || names.length !== 1) return undefined;
  const name = String(names[0]).toLowerCase();
  return CONSTANTS_OF_THE_SESSION.test(name) && !own.has(name)
    ? `${name} does not give the same result everywhere and always`
    : undefined;
}

function positionOf(node: SyntaxNode): number | undefined {
  const location = node['query_location'] ?? (node['function'] as SyntaxNode | undefined)?.['query_location'];
  return typeof location === 'number' && Number.isSafeInteger(location) ? location + 1 : undefined;
}
