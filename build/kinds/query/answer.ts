import {all, InputError, type Fault} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import {object} from '../../read/validator.ts';
import {figuresInWords, labelled} from '../figures/labels.ts';
import {shareChart} from '../figures/counts.ts';
import type {Answer, Content} from '../kind.ts';
import {paidRows, type RowProduct} from '../rows/named-rows.ts';
import {withDirectColumns, documentOf, figuresOf, rowsForSale, type Result} from './results.ts';
import {refusalOf} from './fault.ts';
import {inspect} from './inspect.ts';
import {mayFollowRowOrder, unsteadyRule} from './row-order.ts';
import type {Session} from './session.ts';
import {parseSelect, type Select} from './syntax.ts';

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

/**
 * Returns the figures of a product and the rows or document that it sells. A statement whose result could depend on the order of rows runs
 * in both sessions, and the results are compared. Throws `InputError` with product, query, position and reason, for all statements.
 */
export async function answer(product: QueryProduct, sessions: Sessions, limited: Limited): Promise<Answer> {
  const unsteady: Fault[] = [];
  const {freezes, byKey} = sessions;
  const asking = async (field: Statement, ask: (session: Session, select: Select) => Promise<Result>) => {
    try {
      const [select, result] = await limited(field, async () => {
        const parsed = await parseSelect(byKey, product[field] ?? '');
        inspect(parsed.node, freezes, byKey.functions);
        return [parsed, await ask(byKey, parsed)] as const;
      });
      if (!mayFollowRowOrder(select.node)) return result;
      const reversed = await sessions.reversed();
      const found = unsteadyRule(result, await limited(field, () => ask(reversed, select)));
      if (found) unsteady.push({code: 'FZ303', file: product.file, field, ...found});
      return result;
    } catch (error) {
      throw refusalOf(error, product.file, field);
    }
  };
  const {file, document} = product;
  const [figures, sold] = await all(
    () => asking('figures', figuresOf),
    () =>
      document === undefined
        ? asking('rows', async (session, select) => {
            return withDirectColumns(await rowsForSale(session, product, select), select, freezes);
          })
        : asking('document', documentOf),
  );
  if (document === undefined) return {content: withRows(product, figures, sold), unsteady};
  const clash = Object.keys(sold.properties).find(name => name in figures.properties);
  if (clash === undefined) return {content: withDocument(product, figures, sold), unsteady};
  throw new InputError({
    code: 'FZ302',
    file,
    field: 'document',
    rule: `has a column called "${clash}", as one of the figures`,
  });
}

function withRows(
  product: QueryProduct,
  figures: Result,
  {values, total, properties: columns, columnWords, int64}: Result,
): Content {
  const row = object(columns);
  const {free, properties} = freeMembers(product, figures);
  const examples = values.slice(0, product.examples);
  return {
    ...free,
    sample: {...free.figures, examples},
    examples,
    paidContent: paidRows(product, values, total),
    shape: {
      figures: properties,
      sample: {...properties, examples: {type: 'array', items: row}},
      row,
      int64,
      ...(columnWords && {columnWords}),
    },
  };
}

function withDocument(product: QueryProduct, figures: Result, {values, properties: document}: Result): Content {
  const {free, properties} = freeMembers(product, figures);
  return {
    ...free,
    sample: free.figures,
    paidContent: {type: 'document', members: values[0] ?? {}},
    shape: {figures: properties, sample: properties, document},
  };
}

/** The free members of a product: its figures, as text and chart, and their schemas. */
function freeMembers(product: QueryProduct, {values: [figures = {}], properties}: Result) {
  const chart = shareChart(figures, product);
  return {
    free: {figures, summary: figuresInWords(figures, product), ...(chart && {chart})},
    properties: labelled(properties, product),
  };
}
