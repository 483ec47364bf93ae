import type {Freeze} from '../../read/freezes.ts';
import {object} from '../../read/validator.ts';
import {literal} from '../../rows/sql.ts';
import type {Content, Json} from '../kind.ts';
import type {RowProduct} from '../rows/named-rows.ts';
import {refusalOf, QueryFault} from './fault.ts';
import {inspect} from './inspect.ts';
import {documentRows, type DocumentRows} from './json-types.ts';
import {rowsInOrder} from './order.ts';
import type {Session} from './session.ts';
import {parseSelect, type Select} from './syntax.ts';

export interface QueryProduct extends RowProduct {
  /** SELECT of exactly one row: the figures. */
  readonly figures: string;
  /** SELECT of the rows for sale, in a total order. */
  readonly rows: string;
  /** Sources by table name, where there is more than `rows`. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** Members that documents have anyway, so that no figure can be called so. */
const TAKEN =
  /^(sit|as_of|reason|title|next|note|listed|settle_success|name|examples|rows|rows_total|rows_truncated|sha256|points)$/;

/**
 * The figures and the rows of a product over the freezes that a session holds. Throws `InputError` with product, query, position and
 * reason.
 *
 * @param onAsk told which statement is asked next
 */
export async function answer(
  product: QueryProduct,
  session: Session,
  freezes: ReadonlyMap<string, Freeze>,
  onAsk: (field: 'figures' | 'rows') => void = () => undefined,
): Promise<Content> {
  const asking = async <T>(field: 'figures' | 'rows', ask: (select: Select) => Promise<T>): Promise<T> => {
    try {
      onAsk(field);
      const select = await parseSelect(session, product[field]);
      inspect(select.node, freezes, session.functions);
      return await ask(select);
    } catch (error) {
      throw refusalOf(error, product.file, field);
    }
  };
  const {examples, max_rows} = product;
  const figures = await asking('figures', select => figuresOf(session, select));
  const [rows, total] = await asking('rows', select => rowsOf(session, select, Math.max(max_rows, examples)));
  const [values = {}] = figures.values;
  const row = object(rows.properties);
  return {
    figures: values,
    finding: findingOf(values),
    sample: {...values, examples: rows.values.slice(0, examples)},
    goods: {type: 'rows', rows: rows.values.slice(0, max_rows), total},
    shape: {
      figures: figures.properties,
      sample: {...figures.properties, examples: {type: 'array', items: row}},
      row,
    },
  };
}

async function figuresOf(session: Session, {sql}: Select): Promise<DocumentRows> {
  const result = await session.ask(sql, 2);
  const found = result.rows.length === 0 ? 'no row' : 'more than one row';
  if (result.rows.length !== 1) throw new QueryFault(`gives ${found}: figures are exactly one row`);
  const nameless = result.columns.find(({name}) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (nameless)
    throw new QueryFault(`has a column called "${nameless.name}": give it a name of letters, digits and "_" with AS`);
  const clash = result.columns.find(({name}) => TAKEN.test(name));
  if (clash) throw new QueryFault(`has a column called "${clash.name}", which documents have anyway`);
  return documentRows(result, () => '');
}

/** The first rows for sale, and how many there are in all. */
async function rowsOf(session: Session, select: Select, limit: number): Promise<[rows: DocumentRows, total: number]> {
  const result = await rowsInOrder(session, select, limit);
  const counted = async () => (await session.ask(`SELECT count(*) FROM query(${literal(select.sql)})`, 1)).rows[0]?.[0];
  return [documentRows(result, index => `row ${index + 1} `), Number(result.total ?? (await counted()))];
}

/** `rows_n 26, dead_n 11`: the figures that are no lists or objects. */
function findingOf(figures: Json): string {
  const simple = Object.entries(figures).filter(([, value]) => typeof value !== 'object');
  const named = simple.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  return simple.length > 0 ? `the figures are ${named}` : 'the figures follow';
}
