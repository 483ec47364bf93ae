import {allNow} from '../../shared/fault.ts';
import {ratioOf, trueOf, figureSchemas} from './figures/counts.ts';
import {digitsOf} from './figures/labels.ts';
import {listedProperty, type RowsKind} from './kind.ts';
import {object} from '../read/validator.ts';
import {
  columnWordsOf,
  rowSchemaOf,
  namedRows,
  present,
  paidRows,
  shownRows,
  webAddress,
  type NamedRowProduct,
} from './rows/named-rows.ts';
import type {RowRule, Table} from '../rows/table.ts';

const TIME_FORMAT = '%Y-%m-%d %H:%M ET';
const CLASSES = ['all_collapsed', 'none_collapsed', 'partly_collapsed', 'empty'];
const time = {type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2} ET$'} as const;
const example = object({origin: webAddress, first: time, last: time, claimed: {type: 'boolean'}});

/** Origins whose first and last verification have the same timestamp: specification, "First Last Same sample". */
export default {
  name: 'same-timestamps',
  reads: 'rows',
  hasListed: false,
  marks: ['first_eq_last_n', 'claimed_eq_n'],
  statements: [],
  product: {required: ['source'], properties: {...namedRows, ...listedProperty}},

  ask(product, _freeze, table) {
    const [key] = allNow(
      () => table.field(table.keyColumn(product).name, 'string', product.file).name,
      () => table.field('first', 'string', product.file),
      () => table.field('last', 'string', product.file),
      () => table.field('claimed', 'boolean', product.file),
    );
    const same = `${table.value('first')} = ${table.value('last')}`;
    const {rows, rules} = shownRows(product, table, same, {key, shown: webAddress});
    const counts = [table.count(), table.count(same), table.count(`${same} AND ${table.value('claimed')}`)] as const;
    return {
      measures: [...counts, rows],
      rules: [...rules, existing(table, 'first'), existing(table, 'last'), ...present(product, table, 'claimed')],
      answer(read) {
        const matching = read(rows);
        const [total, equal, claimed] = [read(counts[0]), read(counts[1]), read(counts[2])];
        const shares = {total, first_eq_last_n: equal, ratio: ratioOf(equal, total), claimed_eq_n: claimed};
        const name = classOf(equal, total);
        const [all, alike, ofThem] = [total, equal, claimed].map(number => digitsOf('total', number));
        const schemas = figureSchemas(shares);
        const classSchema = {type: 'string', enum: CLASSES};
        const examples = matching
          .slice(0, product.examples)
          .map(row => ({origin: row[key], first: row['first'], last: row['last'], claimed: row['claimed']}));
        return {
          figures: {...shares, class: name},
          summary: `${alike} of ${all} origins have equal first and last verification timestamps, a ratio of ${shares.ratio}, ${ofThem} of them claimed (${name})`,
          chart: {
            shape: 'dots',
            unit: 'origins',
            claim: 'have equal first and last verification timestamps',
            parts: [
              {label: 'equal, claimed', n: claimed, claimed: true},
              {label: 'equal, not claimed', n: equal - claimed, claimed: true},
              {label: 'different', n: total - equal, claimed: false},
            ],
          },
          sample: {...shares, examples, class: name},
          examples,
          paidContent: paidRows(product, matching, equal),
          shape: {
            figures: {...schemas, class: classSchema},
            sample: {...schemas, examples: {type: 'array', items: example}, class: classSchema},
            row: rowSchemaOf(table),
            columnWords: columnWordsOf(table),
          },
        };
      },
    };
  },

  disagreements(document) {
    const {first_eq_last_n: equal, rows_total: sold = equal} = document;
    const [total, n, claimed] = [Number(document['total']), Number(equal), Number(document['claimed_eq_n'])];
    return trueOf({
      'first_eq_last_n is more than total': !(n <= total),
      'claimed_eq_n is more than first_eq_last_n': !(claimed <= n),
      'ratio is not first_eq_last_n / total': ratioOf(n, total) !== document['ratio'],
      'class does not follow from the figures': classOf(n, total) !== document['class'],
      'rows_total is not first_eq_last_n': sold !== equal,
    });
  },
} satisfies RowsKind<NamedRowProduct>;

function classOf(equal: number, total: number): string {
  if (total === 0) return 'empty';
  if (equal === total) return 'all_collapsed';
  return equal === 0 ? 'none_collapsed' : 'partly_collapsed';
}

/** A verification time must exist in the calendar and have exactly this format: parsing and printing it must give the same string. */
function existing(table: Table, column: string): RowRule {
  const text = table.text(column);
  return {
    code: 'FZ101',
    field: column,
    shown: text,
    broken: `(${text} IS NULL OR coalesce(strftime(try_strptime(${text}, '${TIME_FORMAT}'), '${TIME_FORMAT}') <> ${text}, true))`,
    rule: 'is not an existing time, YYYY-MM-DD HH:MM ET',
  };
}
