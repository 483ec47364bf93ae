import type {Freeze} from '../../read/freezes.ts';
import {columnWords, withWords} from '../../read/table-schema.ts';
import {orNull, type JsonSchema} from '../../read/validator.ts';
import {Table} from '../../rows/table.ts';
import type {DocumentRows} from './json-types.ts';
import {small, type Select, type SyntaxNode} from './syntax.ts';

/**
 * Adds to a result the frozen title, description, unit and nullability of the columns that a query selects directly from its tables. If
 * several tables have a column of that name, the first is used.
 */
export function withDirectColumns(result: DocumentRows, {node}: Select, freezes: ReadonlyMap<string, Freeze>) {
  const tables = readsOnlyTables(node) ? [...freezes.values()].map(freeze => new Table(freeze)) : [];
  const known = tables.flatMap(table =>
    table.fields.map(field => ({field, isRequired: table.isRequired(field.name), name: small(field.name)})),
  );
  const direct = Object.keys(result.properties).flatMap(name => {
    const source = sourceName(node, name);
    const column = known.find(candidate => candidate.name === source);
    return column ? [[name, column] as const] : [];
  });
  const described = direct.map(([name, {field, isRequired}]): [string, JsonSchema] => {
    const schema = result.properties[name] ?? {};
    return [name, withWords(isRequired ? schema : orNull(schema), field)];
  });
  return {
    ...result,
    properties: {...result.properties, ...Object.fromEntries(described)},
    columnWords: columnWords(direct.map(([name, {field}]) => [name, field])),
  };
}

/** True if a SELECT reads only frozen tables and joins of them. Subqueries and common table expressions can rename columns. */
function readsOnlyTables({cte_map: ctes, from_table: from}: SyntaxNode): boolean {
  const areTables = (table: SyntaxNode): boolean =>
    table['type'] === 'JOIN'
      ? [table['left'], table['right']].every(side => areTables(side as SyntaxNode))
      : table['type'] === 'BASE_TABLE' && (table['column_name_alias'] as readonly unknown[]).length === 0;
  return (ctes as {map: readonly unknown[]}).map.length === 0 && from !== undefined && areTables(from as SyntaxNode);
}

/** The lower-case name of the table column behind a result column. Undefined if the result column is computed. */
function sourceName(node: SyntaxNode, name: string): string | undefined {
  const items = (node['select_list'] ?? []) as readonly SyntaxNode[];
  const columnOf = (item: SyntaxNode) => small(String((item['column_names'] as readonly string[] | undefined)?.at(-1)));
  const nameOf = (item: SyntaxNode) => (item['alias'] === '' ? columnOf(item) : small(String(item['alias'])));
  const named = items.find(item => nameOf(item) === small(name));
  if (named) return named['class'] === 'COLUMN_REF' ? columnOf(named) : undefined;
  return items.some(item => item['class'] === 'STAR' && !hasChanges(item)) ? small(name) : undefined;
}

/** True for `COLUMNS(…)` and for `*` with REPLACE or RENAME, which compute or rename columns. */
function hasChanges({columns, replace_list: replaced, rename_list: renamed}: SyntaxNode): boolean {
  return columns === true || [replaced, renamed].some(list => Array.isArray(list) && list.length > 0);
}
