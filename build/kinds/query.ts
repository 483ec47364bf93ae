import type {TablesKind} from './kind.ts';
import {rowLimits} from './rows/named-rows.ts';
import {InputError} from '../../shared/fault.ts';
import {sourceName} from '../read/freezes.ts';
import type {QueryProduct} from './query/answer.ts';
import {QueryProcess} from './query/process.ts';

const sql = {
  type: 'string',
  minLength: 1,
  maxLength: 20_000,
  // DuckDB takes it for the end.
  pattern: '^[^\\0]*$',
  description: 'one SELECT statement of 1 to 20000 characters, none of which is NUL',
} as const;

/** Figures and rows that a publisher writes as SQL over frozen sources. */
export default {
  name: 'query',
  reads: 'tables',
  listed: true,
  statements: [],
  product: {
    required: ['figures', 'rows'],
    properties: {
      ...rowLimits,
      figures: sql,
      rows: sql,
      sources: {
        type: 'object',
        minProperties: 1,
        propertyNames: {
          type: 'string',
          pattern: '^(?!.*_before$)[a-z][a-z0-9_]{0,30}$',
          description: 'a table name: a-z, 0-9 and "_", not ending in _before',
        },
        additionalProperties: sourceName,
      },
    },
  },

  /** The tables by name; `<name>_before`, the freeze before, where a query speaks of it. */
  tables(product) {
    const tables = Object.entries(sourcesOf(product)).map(([name, source]) => ({name, source, before: false}));
    const before = tables.map(table => ({...table, name: `${table.name}_before`, before: true}));
    const text = `${product.figures}\n${product.rows}`;
    return [...tables, ...before.filter(({name}) => new RegExp(`\\b${name}\\b`, 'i').test(text))];
  },

  open: (root, freezes) => new QueryProcess(root, freezes),

  disagreements: () => [],
} satisfies TablesKind<QueryProduct>;

/** Sources by table name, the main table first. */
function sourcesOf({file, source, sources}: QueryProduct): Record<string, string> {
  const {rows = source, ...others} = sources ?? {};
  if (rows !== undefined && (source === undefined) === (sources !== undefined)) return {rows, ...others};
  throw new InputError({
    file,
    field: 'source',
    rule: 'is not given, or given beside sources: give one source, or sources with a table "rows"',
  });
}
