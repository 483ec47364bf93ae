import type {Field} from '../../read/data-package.ts';
import type {Freeze} from '../../read/freezes.ts';
import {orNull, type JsonSchema} from '../../read/validator.ts';
import {columnWords, withWords} from '../../rows/column-words.ts';
import type {Result} from './results.ts';
import {Table} from '../../rows/table.ts';
import {small} from './inspect.ts';
import type {Select, SyntaxNode} from './syntax.ts';

/** A parsed SELECT, as far as it shows where its columns come from. */
interface SelectNode {
  readonly cte_map: {readonly map: readonly unknown[]};
  readonly from_table?: From;
  readonly select_list?: readonly Item[];
}

interface From extends SyntaxNode {
  readonly type: string;
  readonly alias: string;
  readonly table_name: string;
  readonly column_name_alias: readonly unknown[];
  readonly left: From;
  readonly right: From;
}

interface Item extends SyntaxNode {
  readonly class: string;
  readonly alias: string;
  /** Of a column: its name, after that of its table where that is given. */
  readonly column_names: readonly string[];
  /** Of `*`, and of `rows.*` the table. */
  readonly relation_name: string;
  /** Of `COLUMNS(…)`, and of `*` with REPLACE or RENAME: they compute, or call a column otherwise. */
  readonly columns: boolean;
  readonly replace_list: readonly unknown[];
  readonly rename_list: readonly unknown[];
}

/** A column as the freeze describes it, and the table that it is in, as the query calls that. */
interface Column {
  readonly table: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

/**
 * A result with what the freeze says of the columns that a query takes from its tables as they are: title, description and unit, and that
 * a value may be missing, whether or not one is missing now.
 */
export function withDirectColumns(result: Result, {node}: Select, freezes: ReadonlyMap<string, Freeze>): Result {
  const direct = directColumns(node as unknown as SelectNode, freezes);
  const properties = Object.entries(result.properties).map(([name, schema]): [string, JsonSchema] => {
    const column = direct.get(name);
    if (!column) return [name, schema];
    return [name, withWords(column.isRequired ? schema : orNull(schema), column.field)];
  });
  const fields = [...direct].map(([name, {field}]) => [name, field] as const);
  return {...result, properties: Object.fromEntries(properties), columnWords: columnWords(fields)};
}

/** Columns by their names in the result. */
function directColumns(node: SelectNode, freezes: ReadonlyMap<string, Freeze>): Map<string, Column> {
  // A common table expression may be called as a table is.
  const columns = node.from_table && node.cte_map.map.length === 0 ? columnsIn(node.from_table, freezes) : [];
  return new Map((node.select_list ?? []).flatMap(item => taken(item, columns)));
}

function columnsIn(from: From, freezes: ReadonlyMap<string, Freeze>): Column[] {
  if (from.type === 'JOIN') return [from.left, from.right].flatMap(side => columnsIn(side, freezes));
  if (from.type !== 'BASE_TABLE' || from.column_name_alias.length > 0) return [];
  const [, freeze] = [...freezes].find(([name]) => small(name) === small(from.table_name)) ?? [];
  if (!freeze) return [];
  const table = new Table(freeze);
  return table.fields.map(field => ({
    table: small(from.alias || from.table_name),
    field,
    isRequired: table.isRequired(field.name),
  }));
}

/** The columns that one item of a SELECT takes as they are, by their names in the result. */
function taken(item: Item, columns: readonly Column[]): [string, Column][] {
  if (item.class === 'STAR') {
    if (item.columns || item.replace_list.length + item.rename_list.length > 0) return [];
    return ofTable(item.relation_name, columns).map(column => [column.field.name, column]);
  }
  if (item.class !== 'COLUMN_REF') return [];
  const [name = '', table = ''] = [...item.column_names].reverse();
  const column = ofTable(table, columns).find(({field}) => small(field.name) === small(name));
  return column ? [[item.alias || column.field.name, column]] : [];
}

function ofTable(name: string, columns: readonly Column[]): readonly Column[] {
  return name === '' ? columns : columns.filter(({table}) => table === small(name));
}
