import {listedProperty, type TablesKind} from './kind.ts';
import {wordProperties} from './figures/labels.ts';
import {rowLimits} from './rows/named-rows.ts';
import type {Fault} from '../../shared/fault.ts';
import {sourceName} from '../read/freezes.ts';
import type {QueryProduct} from './query/answer.ts';
import {QueryProcess} from './query/process.ts';

const sql = {
  type: 'string',
  minLength: 1,
  maxLength: 20_000,
  // For DuckDB, NUL ends the statement.
  pattern: '^[^\\0]*$',
  description: 'one SELECT statement of 1 to 20000 characters, without a NUL character',
} as const;

/** Figures, and rows or a document, that a publisher defines in SQL over frozen sources. */
export default {
  name: 'query',
  reads: 'tables',
  hasListed: true,
  statements: [],
  product: {
    required: ['figures'],
    properties: {
      ...rowLimits,
      ...wordProperties,
      ...listedProperty,
      figures: sql,
      rows: sql,
      document: sql,
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

  faults({file, source, sources, rows, document}, given) {
    const fault = (field: string, rule: string, fix?: string, value?: string): Fault => {
      return {code: 'FZ206', file, field, value, rule, fix};
    };
    const main = sources ? sources['rows'] : source;
    const isUnclear = main === undefined || (source !== undefined && sources !== undefined);
    const several = 'Set one source, or sources with a table "rows".';
    const idle = document === undefined ? [] : Object.keys(rowLimits).filter(member => given.has(member));
    return [
      ...(isUnclear ? [fault('source', 'is missing, or set together with "sources"', several)] : []),
      ...((rows ?? document) ? [] : [fault('rows', 'is missing', 'Set "rows" or "document".')]),
      ...(rows && document ? [fault('rows', 'is set together with "document"', 'Remove one of them.', rows)] : []),
      ...idle.map(field => fault(field, 'is for products that sell rows, and this one sells a document')),
    ];
  },

  /** The tables by name. `<name>_before`, the freeze before the latest, is included only if a query mentions it. */
  tables(product) {
    const tables = Object.entries(sourcesByTable(product)).map(([name, source]) => ({name, source, before: false}));
    const before = tables.map(table => ({...table, name: `${table.name}_before`, before: true}));
    const text = [product.figures, product.rows, product.document].join('\n');
    return [...tables, ...before.filter(({name}) => new RegExp(`\\b${name}\\b`, 'i').test(text))];
  },

  open: () => new QueryProcess(),

  disagreements: () => [],
} satisfies TablesKind<QueryProduct>;

function sourcesByTable({source = '', sources}: QueryProduct): Record<string, string> {
  const {rows = source, ...others} = sources ?? {};
  return {rows, ...others};
}
