import type {ColumnWords} from '../../rows/column-words.ts';
import {literal} from '../../rows/sql.ts';
import {MOST_BYTES} from '../kind.ts';
import {rowsNeeded, type RowProduct} from '../rows/named-rows.ts';
import {QueryFault} from './fault.ts';
import {documentRows, type DocumentRows, type Nulls} from './json-types.ts';
import type {Session} from './session.ts';
import type {Answered} from './steady.ts';
import {inTotalOrder, type Select} from './syntax.ts';

/** The first rows of a statement, how many there are in all, and title, description and unit of their columns. */
export type Result = DocumentRows & Answered & {readonly columnWords?: ColumnWords};

/** Members that documents have anyway: no figure may have such a name. */
const TAKEN =
  /^(sit|as_of|reason|title|next|note|listed|settle_success|name|examples|rows|rows_total|rows_truncated|sha256|points)$/;

/** A document with these members is taken for one of events. */
const TAKEN_BY_EVENTS = /^(events|pubkey_hint)$/;

/** The figures of a product, from its statement. */
export async function figuresOf(session: Session, select: Select): Promise<Result> {
  return membersOf(session, select, 'figures are exactly one row', 'refused');
}

/** The members of a document of its own shape, in their order. */
export async function documentOf(session: Session, select: Select): Promise<Result> {
  const result = await membersOf(session, select, 'a document is exactly one row', 'allowed');
  const clash = Object.keys(result.properties).find(name => TAKEN_BY_EVENTS.test(name));
  if (clash !== undefined) throw new QueryFault(`has a column called "${clash}", which documents of events have`);
  return result;
}

/** The one row of a statement whose columns become members of documents. */
async function membersOf(session: Session, {sql}: Select, rule: string, nulls: Nulls): Promise<Result> {
  const result = await session.ask(sql, 2);
  const found = result.rows.length === 0 ? 'no row' : 'more than one row';
  if (result.rows.length !== 1) throw new QueryFault(`gives ${found}: ${rule}`);
  const nameless = result.columns.find(({name}) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (nameless)
    throw new QueryFault(`has a column called "${nameless.name}": give it a name of letters, digits and "_" with AS`);
  const clash = result.columns.find(({name}) => TAKEN.test(name));
  if (clash) throw new QueryFault(`has a column called "${clash.name}", which documents have anyway`);
  return {...documentRows(result, () => '', {nulls}), total: 1};
}

/** The most bytes that the rows of all parts may have together: they are held in memory. */
const MOST_BYTES_IN_PARTS = 20 * MOST_BYTES;

/** The first rows for sale, in the order of the query; rows that it leaves equal are in the order of all columns. */
export async function rowsOf(session: Session, product: RowProduct, select: Select): Promise<Result> {
  const limit = rowsNeeded(product);
  const ordered = inTotalOrder(select, await session.widthOf(select.sql));
  const result = await session.ask(ordered, limit).catch(async (error: unknown) => {
    // Of the query as it is written, DuckDB reports the position of the error.
    await session.ask(select.sql, limit);
    throw error;
  });
  const counted = async () => (await session.ask(`SELECT count(*) FROM query(${literal(select.sql)})`, 1)).rows[0]?.[0];
  const total = Number(result.total ?? (await counted()));
  const mostBytes = product.parts === undefined ? MOST_BYTES : MOST_BYTES_IN_PARTS;
  return {...documentRows(result, index => `row ${index + 1} `, {nulls: 'allowed', mostBytes}), total};
}
