import {all, InputError, type Fault} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import {object} from '../../read/validator.ts';
import {figuresInWords, labelled} from '../figures/labels.ts';
import {shareChart} from '../figures/counts.ts';
import {type Answer, type Content, MOST_BYTES} from '../kind.ts';
import {paidRows, type RowProduct, rowsNeeded} from '../rows/named-rows.ts';
import {withDirectColumns} from './direct-columns.ts';
import {refusalOf, shapeError} from './fault.ts';
import {inspect} from './inspect.ts';
import {mayFollowRowOrder, unsteadyRule, type Answered} from './row-order.ts';
import type {Session} from './session.ts';
import {parseSelect, type Select, inTotalOrder} from './syntax.ts';
import type {ColumnWords} from '../../read/table-schema.ts';
import {literal} from '../../rows/sql.ts';
import {documentRows, type DocumentRows} from './json-types.ts';

export interface QueryProduct extends RowProduct {
  /** A SELECT of exactly one row: the figures. */
  readonly figures: string;
  /** A SELECT of the rows for sale, in a total order. Undefined if a document is sold. */
  readonly rows?: string;
  /** A SELECT of exactly one row: the members of a document, which is sold in place of rows. */
  readonly document?: string;
  /** Sources by table name, if there are others than `rows`. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** The members of a product that are statements. */
export type Statement = 'figures' | 'rows' | 'document';

/** The tables of a product in DuckDB, opened in two ways. */
export interface Sessions {
  readonly freezes: ReadonlyMap<string, Freeze>;
  /** Rows in the order of their key, one thread. Its results are published. */
  readonly byKey: Session;
  /** Rows in the opposite order, several threads. */
  reversed(): Promise<Session>;
}

/** Runs a statement within the limits of time and memory. */
type Limited = <T>(field: Statement, run: () => Promise<T>) => Promise<T>;

/** Returns the result of a parsed statement of a product. */
type Run = (session: Session, select: Select, product: QueryProduct, {freezes}: Sessions) => Promise<Result>;

const RUNS: Readonly<Record<Statement, Run>> = {figures: figuresOf, rows: rowsForSale, document: documentOf};

/**
 * Returns the figures of a product and the rows or document that it sells. A statement whose result could depend on the order of rows runs
 * in both sessions, and the results are compared. Throws `InputError` with product, query, position and reason, for all statements.
 */
export async function answer(product: QueryProduct, sessions: Sessions, limited: Limited): Promise<Answer> {
  const unsteady: Fault[] = [];
  const {freezes, byKey} = sessions;
  const {file} = product;
  const resultOf = async (field: Statement) => {
    const run = (session: Session, select: Select) => RUNS[field](session, select, product, sessions);
    try {
      const [select, result] = await limited(field, async () => {
        const parsed = await parseSelect(byKey, product[field] ?? '');
        inspect(parsed.node, freezes, byKey.functions);
        return [parsed, await run(byKey, parsed)] as const;
      });
      if (!mayFollowRowOrder(select.node)) return result;
      const reversed = await sessions.reversed();
      const found = unsteadyRule(result, await limited(field, () => run(reversed, select)));
      if (found) unsteady.push({code: 'FZ303', file, field, ...found});
      return result;
    } catch (error) {
      throw refusalOf(error, file, field);
    }
  };
  const [figures, sold] = await all(
    () => resultOf('figures'),
    () => resultOf(product.document === undefined ? 'rows' : 'document'),
  );
  const clash = Object.keys(sold.properties).find(name => name in figures.properties);
  if (product.document === undefined || clash === undefined)
    return {content: contentOf(product, figures, sold), unsteady};
  const rule = `has a column called "${clash}", which is also the name of a figure`;
  throw new InputError({code: 'FZ302', file, field: 'document', rule});
}

function contentOf(product: QueryProduct, {values: [figures = {}], properties}: Result, sold: Result): Content {
  const chart = shareChart(figures, product);
  const free = {figures, summary: figuresInWords(figures, product), ...(chart && {chart})};
  const schemas = labelled(properties, product);
  const {values, total, int64, columnWords} = sold;
  if (product.document !== undefined)
    return {
      ...free,
      sample: figures,
      paidContent: {type: 'document', members: values[0] ?? {}},
      shape: {figures: schemas, sample: schemas, document: sold.properties},
    };
  const row = object(sold.properties);
  const examples = values.slice(0, product.examples);
  return {
    ...free,
    sample: {...figures, examples},
    examples,
    paidContent: paidRows(product, values, total),
    shape: {
      figures: schemas,
      sample: {...schemas, examples: {type: 'array', items: row}},
      row,
      int64,
      ...(columnWords && {columnWords}),
    },
  };
}

/** The first rows of a statement, the number of all rows, and title, description and unit of their columns. */
export type Result = DocumentRows & Answered & {readonly columnWords?: ColumnWords};

/** Members of every document, which cannot be names of figures. */
const TAKEN =
  /^(sit|as_of|reason|title|next|note|listed|settle_success|name|examples|rows|rows_total|rows_truncated|sha256|points)$/;

/** Members by which event documents are recognized. */
const TAKEN_BY_EVENTS = /^(events|pubkey_hint)$/;

/** Returns the figures of a product from its statement. */
async function figuresOf(session: Session, select: Select): Promise<Result> {
  const result = await onlyRow(session, select, 'figures must be exactly one row');
  const [lacking] = Object.entries(result.values[0] ?? {}).find(([, value]) => hasNull(value)) ?? [];
  if (lacking === undefined) return result;
  const fix = 'Replace NULL with another value, with coalesce().';
  throw shapeError({rule: `${lacking} is NULL or contains NULL, which is not allowed in figures`, fix});
}

function hasNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}

/** Returns the members of a document, in the order of the statement. */
async function documentOf(session: Session, select: Select): Promise<Result> {
  const result = await onlyRow(session, select, 'a document must be exactly one row');
  const clash = Object.keys(result.properties).find(name => TAKEN_BY_EVENTS.test(name));
  if (clash !== undefined)
    throw shapeError(`has a column called "${clash}", which is the name of a member of event documents`);
  return result;
}

/** The only row of a statement whose columns become members of documents. */
async function onlyRow(session: Session, {sql}: Select, rule: string): Promise<Result> {
  const result = await session.ask(sql, 2);
  const found = result.rows.length === 0 ? 'no row' : 'more than one row';
  if (result.rows.length !== 1) throw shapeError(`returns ${found}: ${rule}`);
  const nameless = result.columns.find(({name}) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (nameless)
    throw shapeError({
      rule: `has a column called "${nameless.name}", but names have only letters, digits and "_"`,
      fix: 'Give the column another name with AS.',
    });
  const clash = result.columns.find(({name}) => TAKEN.test(name));
  if (clash) throw shapeError(`has a column called "${clash.name}", which is the name of a member of every document`);
  return {...documentRows(result, () => ''), total: 1};
}

/** The most bytes of the rows of all parts together, because they are kept in memory. */
const MOST_BYTES_IN_PARTS = 20 * MOST_BYTES;

/** Returns the first rows for sale, in the order of the query, then of all columns. */
async function rowsForSale(
  session: Session,
  select: Select,
  product: RowProduct,
  {freezes}: Sessions,
): Promise<Result> {
  const limit = rowsNeeded(product);
  const ordered = inTotalOrder(select, await session.widthOf(select.sql));
  const result = await session.ask(ordered, limit).catch(async (error: unknown) => {
    // Run the query as written, so that DuckDB's error has the right position.
    await session.ask(select.sql, limit);
    throw error;
  });
  const counted = async () => (await session.ask(`SELECT count(*) FROM query(${literal(select.sql)})`, 1)).rows[0]?.[0];
  const total = Number(result.total ?? (await counted()));
  const mostBytes = product.parts === undefined ? MOST_BYTES : MOST_BYTES_IN_PARTS;
  const rows = documentRows(result, index => `row ${index + 1} `, mostBytes);
  return {...withDirectColumns(rows, select, freezes), total};
}
