import {count, ratio, ratioOf} from './figures/counts.ts';
import type {Content, Inquiry, Product, RowsKind, Shape} from './kind.ts';
import {namedRows, present, webAddress, webAddresses, type NamedRows} from './rows/named-rows.ts';
import type {Row, RowRule, Table} from '../rows/table.ts';

interface SameTimestampsProduct extends Product, NamedRows {}

const MOMENT = '%Y-%m-%d %H:%M ET';
const CLASSES = ['all_collapsed', 'none_collapsed', 'partly_collapsed', 'empty'];
const moment = {type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2} ET$'} as const;

/** Origins whose first and last verification are the same moment: specification, "First Last Same sample". */
export default {
  name: 'same-timestamps',
  reads: 'rows',
  listed: false,
  marks: ['first_eq_last_n', 'claimed_eq_n'],
  statements: [],
  product: {required: ['source'], properties: namedRows},

  ask(product, _freeze, table) {
    const origin = table.textKey(product);
    for (const column of ['first', 'last']) table.field(column, 'string', product.file);
    table.field('claimed', 'boolean', product.file);
    const same = `${table.value('first')} = ${table.value('last')}`;
    const total = table.count();
    const equal = table.count(same);
    const claimed = table.count(`${same} AND ${table.value('claimed')}`);
    const matching = table.first(origin, Math.max(product.max_rows, product.examples), same);
    return {
      measures: [total, equal, claimed, matching],
      rules: [
        webAddresses(table, origin, matching, same),
        existing(table, 'first'),
        existing(table, 'last'),
        ...present(table, origin),
        ...present(table, 'claimed'),
      ],
      answer: read =>
        contentOf(product, table, {total: read(total), equal: read(equal), claimed: read(claimed)}, read(matching)),
    } satisfies Inquiry;
  },

  disagreements(document) {
    const {total, first_eq_last_n: equal, ratio: share, claimed_eq_n: claimed} = document as Record<string, number>;
    return [
      ...(Number(equal) <= Number(total) ? [] : ['first_eq_last_n is more than total']),
      ...(Number(claimed) <= Number(equal) ? [] : ['claimed_eq_n is more than first_eq_last_n']),
      ...(ratioOf(Number(equal), Number(total)) === share ? [] : ['ratio is not first_eq_last_n / total']),
      ...(classOf(Number(equal), Number(total)) === document['class']
        ? []
        : ['class does not follow from the figures']),
      ...('rows_total' in document && document['rows_total'] !== equal ? ['rows_total is not first_eq_last_n'] : []),
    ];
  },
} satisfies RowsKind<SameTimestampsProduct>;

function classOf(equal: number, total: number): string {
  if (total === 0) return 'empty';
  if (equal === total) return 'all_collapsed';
  return equal === 0 ? 'none_collapsed' : 'partly_collapsed';
}

/** A verification is a moment that exists, in the one form; printing what was read must give the same text. */
function existing(table: Table, column: string): RowRule {
  const text = table.text(column);
  return {
    field: column,
    shown: text,
    broken: `(${text} IS NULL OR coalesce(strftime(try_strptime(${text}, '${MOMENT}'), '${MOMENT}') <> ${text}, true))`,
    rule: 'is not a moment that exists, YYYY-MM-DD HH:MM ET',
  };
}

function contentOf(
  product: SameTimestampsProduct,
  table: Table,
  n: {total: number; equal: number; claimed: number},
  matching: readonly Row[],
): Content {
  const shares = {total: n.total, first_eq_last_n: n.equal, ratio: ratioOf(n.equal, n.total), claimed_eq_n: n.claimed};
  const classified = {class: classOf(n.equal, n.total)};
  const examples = matching.slice(0, product.examples).map(row => ({
    origin: row[table.textKey(product)],
    first: row['first'],
    last: row['last'],
    claimed: row['claimed'],
  }));
  return {
    figures: {...shares, ...classified},
    finding: `${n.equal} of ${n.total} origins have equal first and last verification timestamps, a ratio of ${shares.ratio}, ${n.claimed} of them claimed (${classified.class})`,
    picture: {
      shape: 'dots',
      unit: 'origins',
      claim: 'have equal first and last verification timestamps',
      parts: [
        {label: 'equal, claimed', n: n.claimed, claimed: true},
        {label: 'equal, not claimed', n: n.equal - n.claimed, claimed: true},
        {label: 'different', n: n.total - n.equal, claimed: false},
      ],
    },
    sample: {...shares, examples, ...classified},
    goods: {type: 'rows', rows: matching.slice(0, product.max_rows), total: n.equal},
    shape: shapeOf(table),
  };
}

function shapeOf({rowSchema}: Table): Shape {
  const shares = {total: count, first_eq_last_n: count, ratio, claimed_eq_n: count};
  const classified = {class: {type: 'string', enum: CLASSES}};
  return {
    figures: {...shares, ...classified},
    sample: {...shares, examples: {type: 'array', items: exampleSchema}, ...classified},
    row: rowSchema,
  };
}

const exampleSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['origin', 'first', 'last', 'claimed'],
  properties: {origin: webAddress, first: moment, last: moment, claimed: {type: 'boolean'}},
} as const;
