import type {Content, Json, Product, TableRef, TablesKind} from './kind.ts';
import {rowLimits, type RowLimits} from './rows/named-rows.ts';
import {InputError} from '../../shared/fault.ts';
import type {Freeze} from '../read/freezes.ts';
import {sourceName} from '../products/products.ts';
import {isOfDuckDb} from '../rows/sql.ts';
import {inspect} from './query/inspect.ts';
import {rowsInOrder} from './query/order.ts';
import {MEMORY, openSandbox, type Sandbox} from './query/sandbox.ts';
import {parseSelect, QueryFault, textOf, type Select} from './query/syntax.ts';
import {typed, type Typed} from './query/typed.ts';

interface QueryProduct extends Product, RowLimits {
  /** SELECT of exactly one row: the figures. */
  readonly figures: string;
  /** SELECT of the rows for sale, in a total order. */
  readonly rows: string;
  /** Sources by table name, where there is more than `rows`. */
  readonly sources?: Readonly<Record<string, string>>;
}

const sql = {
  type: 'string',
  minLength: 1,
  maxLength: 20_000,
  description: 'one SELECT statement of 1 to 20000 characters',
} as const;

/** Members that documents have anyway, so that no figure can be called so. */
const TAKEN = [
  'sit',
  'as_of',
  'reason',
  'title',
  'next',
  'note',
  'listed',
  'settle_success',
  'name',
  'examples',
  'rows',
  'rows_total',
  'rows_truncated',
  'sha256',
  'points',
];

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
    const tables = Object.entries(sourcesOf(product)).map(([name, source]): TableRef => ({
      name,
      source,
      before: false,
    }));
    const text = `${product.figures}\n${product.rows}`.toLowerCase();
    const before = tables.map(table => ({...table, name: `${table.name}_before`, before: true}));
    return [...tables, ...before.filter(({name}) => new RegExp(`\\b${name}\\b`).test(text))];
  },

  open: async (root, freezes) => ({...(await openSandbox(root, freezes)), freezes}),

  async answer(product, tables) {
    const {freezes, ...sandbox} = tables as Sandbox & {freezes: ReadonlyMap<string, Freeze>};
    const figures = await asking(product, 'figures', () => figuresOf(sandbox, product.figures), sandbox, freezes);
    const rows = await asking(product, 'rows', select => rowsOf(sandbox, select, product), sandbox, freezes);
    return contentOf(product, figures, rows);
  },

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

/** Parses and inspects one of a product's queries, then runs it. Throws `InputError` with product, position and reason. */
async function asking<T>(
  product: QueryProduct,
  field: 'figures' | 'rows',
  ask: (select: Select) => Promise<T>,
  sandbox: Sandbox,
  freezes: ReadonlyMap<string, Freeze>,
): Promise<T> {
  try {
    const select = await parseSelect(sandbox, product[field]);
    const columns = [...freezes.values()].flatMap(({schema}) => schema?.fields.map(({name}) => name) ?? []);
    await inspect(sandbox, select.node, [...freezes.keys()], columns);
    return await ask(select);
  } catch (cause) {
    if (!(cause instanceof QueryFault || isOfDuckDb(cause))) throw cause;
    const {message} = cause;
    const position = cause instanceof QueryFault ? cause.position : caretIn(message);
    const place = position === undefined ? '' : `at character ${position}: `;
    throw new InputError({file: product.file, field, rule: `${place}${reasonOf(message)}`}, {cause});
  }
}

/** DuckDB marks the place in the line it repeats with a caret; it repeats all of a short query. */
function caretIn(message: string): number | undefined {
  const lines = message.split('\n');
  const index = lines.findIndex(line => line.startsWith('LINE 1: '));
  const caret = lines[index + 1]?.indexOf('^') ?? -1;
  const isWhole = index >= 0 && !lines[index]?.startsWith('LINE 1: ...');
  return isWhole && caret >= 0 ? caret - 'LINE 1: '.length + 1 : undefined;
}

function reasonOf(message: string): string {
  const [reason = ''] = message.split('\n');
  if (reason.startsWith('Out of Memory')) return `needs more than the ${MEMORY} of memory that a query has`;
  return reason.includes('max_expression_depth') ? 'is nested too deeply' : reason.trim();
}

async function figuresOf(sandbox: Sandbox, query: string): Promise<Typed> {
  const result = await sandbox.run(query, 2);
  if (result.rows.length !== 1)
    throw new QueryFault(
      `gives ${result.rows.length === 0 ? 'no row' : 'more than one row'}: figures are exactly one row`,
    );
  const nameless = result.columns.find(({name}) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (nameless)
    throw new QueryFault(`has a column called "${nameless.name}": give it a name of letters, digits and "_" with AS`);
  const clash = result.columns.find(({name}) => TAKEN.includes(name));
  if (clash) throw new QueryFault(`has a column called "${clash.name}", which documents have anyway`);
  return typed(result, () => '');
}

async function rowsOf(sandbox: Sandbox, select: Select, product: QueryProduct): Promise<Typed & {total: number}> {
  const result = await rowsInOrder(sandbox, product.rows, select, Math.max(product.max_rows, product.examples));
  const {
    rows: [count = []],
  } = await sandbox.run(`SELECT count(*) FROM (${await textOf(sandbox, select.tree)})`, 1);
  return {...typed(result, index => `row ${index + 1} `), total: Number(count[0])};
}

function contentOf(product: QueryProduct, figures: Typed, rows: Typed & {total: number}): Content {
  const [values = {}] = figures.values;
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(rows.properties),
    properties: rows.properties,
  };
  return {
    figures: values,
    finding: findingOf(values),
    sample: {...values, examples: rows.values.slice(0, product.examples)},
    goods: {type: 'rows', rows: rows.values.slice(0, product.max_rows), total: rows.total},
    shape: {
      figures: figures.properties,
      sample: {...figures.properties, examples: {type: 'array', items: schema}},
      row: schema,
    },
  };
}

/** `rows_n 26, dead_n 11`: the figures that are no lists or objects. */
function findingOf(figures: Json): string {
  const simple = Object.entries(figures).filter(([, value]) => typeof value !== 'object');
  return simple.length > 0
    ? `the figures are ${simple.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`
    : 'the figures follow';
}
