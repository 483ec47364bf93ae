import {all, InputError, type Fault} from '../../../shared/fault.ts';
import type {Freeze} from '../../read/freezes.ts';
import {object} from '../../read/validator.ts';
import {figuresInWords, labelled} from '../figures/labels.ts';
import {sharePicture} from '../figures/picture.ts';
import type {Answer, Content} from '../kind.ts';
import {rowGoods, type RowProduct} from '../rows/named-rows.ts';
import {withDirectColumns} from './direct-columns.ts';
import {refusalOf} from './fault.ts';
import {inspect} from './inspect.ts';
import {documentOf, figuresOf, rowsOf, type Result} from './results.ts';
import type {Session} from './session.ts';
import {unsteadyRule} from './steady.ts';
import {parseSelect, type Select} from './syntax.ts';

export interface QueryProduct extends RowProduct {
  /** SELECT of exactly one row: the figures. */
  readonly figures: string;
  /** SELECT of the rows for sale, in a total order; none where a document is sold. */
  readonly rows?: string;
  /** SELECT of exactly one row: the members of a document of its own shape, which is sold in place of rows. */
  readonly document?: string;
  /** Sources by table name, where there is more than `rows`. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** The members of a product that are statements. */
export type Statement = 'figures' | 'rows' | 'document';

/** The same tables twice: by key, in one thread, and turned round, in several. */
export type Sessions = readonly [byKey: Session, turnedRound: Session];

/**
 * The figures of a product, and the rows or the document that it sells, over the freezes that two sessions hold. Every statement is asked in both, which tells whether its
 * result depends on nothing but the rows. Throws `InputError` with product, query, position and reason, for all statements at once.
 *
 * @param onAsk told which statement is asked next
 */
export async function answer(
  product: QueryProduct,
  sessions: Sessions,
  freezes: ReadonlyMap<string, Freeze>,
  onAsk: (field: Statement) => void = () => undefined,
): Promise<Answer> {
  const unsteady: Fault[] = [];
  const asking = async (field: Statement, ask: (session: Session, select: Select) => Promise<Result>) => {
    const [byKey, turnedRound] = sessions;
    try {
      onAsk(field);
      const select = await parseSelect(byKey, product[field] ?? '');
      inspect(select.node, freezes, byKey.functions);
      const result = await ask(byKey, select);
      onAsk(field);
      const rule = unsteadyRule(result, await ask(turnedRound, select));
      if (rule !== undefined) unsteady.push({file: product.file, field, rule});
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
            return withDirectColumns(await rowsOf(session, product, select), select, freezes);
          })
        : asking('document', documentOf),
  );
  if (document === undefined) return {content: withRows(product, figures, sold), unsteady};
  const clash = Object.keys(sold.properties).find(name => name in figures.properties);
  if (clash === undefined) return {content: withDocument(product, figures, sold), unsteady};
  throw new InputError({file, field: 'document', rule: `has a column called "${clash}", which figures have`});
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
    goods: rowGoods(product, values, total),
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
    goods: {type: 'document', members: values[0] ?? {}},
    shape: {figures: properties, sample: properties, document},
  };
}

/** The free members of a product: its figures, in words and as a picture, and their schemas. */
function freeMembers(product: QueryProduct, {values: [figures = {}], properties}: Result) {
  const picture = sharePicture(figures, product);
  return {
    free: {figures, finding: figuresInWords(figures, product), ...(picture && {picture})},
    properties: labelled(properties, product),
  };
}
