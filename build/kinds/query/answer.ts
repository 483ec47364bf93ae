import type {Content, Json, Product} from '../kind.ts';
import type {RowLimits} from '../rows/named-rows.ts';
import {refusalOf, QueryFault} from './fault.ts';
import {inspect, type Names} from './inspect.ts';
import {rowsInOrder} from './order.ts';
import type {Session} from './session.ts';
import {parseSelect, textOf, type Select} from './syntax.ts';
import {typed, type Typed} from './typed.ts';

export interface QueryProduct extends Product, RowLimits {
  /** SELECT of exactly one row: the figures. */
  readonly figures: string;
  /** SELECT of the rows for sale, in a total order. */
  readonly rows: string;
  /** Sources by table name, where there is more than `rows`. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** The rows for sale, and how many there are in all. */
interface Rows extends Typed {
  readonly total: number;
}

/** Members that documents have anyway, so that no figure can be called so. */
const TAKEN =
  /^(sit|as_of|reason|title|next|note|listed|settle_success|name|examples|rows|rows_total|rows_truncated|sha256|points)$/;

/** The figures and the rows of a product. Throws `InputError` with product, query, position and reason. */
export async function answer(product: QueryProduct, session: Session, names: Names): Promise<Content> {
  const figures = await asking(product, 'figures', session, names, () => figuresOf(session, product.figures));
  const rows = await asking(product, 'rows', session, names, select => rowsOf(session, select, product));
  return contentOf(product, figures, rows);
}

/** Parses and inspects one of a product's queries, then asks it. Throws `InputError` with product, query, position and reason. */
async function asking<T>(
  product: QueryProduct,
  field: 'figures' | 'rows',
  session: Session,
  names: Names,
  ask: (select: Select) => Promise<T>,
): Promise<T> {
  try {
    const select = await parseSelect(session, product[field]);
    inspect(select.node, names);
    return await ask(select);
  } catch (error) {
    throw refusalOf(error, product.file, field);
  }
}

async function figuresOf(session: Session, query: string): Promise<Typed> {
  const result = await session.ask(query, 2);
  if (result.rows.length !== 1)
    throw new QueryFault(
      `gives ${result.rows.length === 0 ? 'no row' : 'more than one row'}: figures are exactly one row`,
    );
  const nameless = result.columns.find(({name}) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (nameless)
    throw new QueryFault(`has a column called "${nameless.name}": give it a name of letters, digits and "_" with AS`);
  const clash = result.columns.find(({name}) => TAKEN.test(name));
  if (clash) throw new QueryFault(`has a column called "${clash.name}", which documents have anyway`);
  return typed(result, () => '');
}

async function rowsOf(session: Session, select: Select, product: QueryProduct): Promise<Rows> {
  const limit = Math.max(product.max_rows, product.examples);
  const result = await rowsInOrder(session, product.rows, select, limit);
  const total = result.total ?? (await countOf(session, select));
  return {...typed(result, index => `row ${index + 1} `), total};
}

async function countOf(session: Session, {tree}: Select): Promise<number> {
  const {rows} = await session.ask(`SELECT count(*) FROM (${await textOf(session, tree)})`, 1);
  return Number(rows[0]?.[0]);
}

function contentOf(product: QueryProduct, figures: Typed, rows: Rows): Content {
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
