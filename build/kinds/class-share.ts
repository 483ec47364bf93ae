import {allNow} from '../../shared/fault.ts';
import {chartGroups, columnOfGroups, groupDisagreements, groupingOf} from './class-share/groups.ts';
import {classShareOf, MISSING, type Share} from './class-share/share.ts';
import {ratioOf, sum, trueOf, count, figureSchemas} from './figures/counts.ts';
import {
  booleanWords,
  classWords,
  digitsOf,
  labelled,
  percentOf,
  shareWords,
  unitOf,
  wordProperties,
} from './figures/labels.ts';
import {typeRules} from '../rows/field-types.ts';
import {listedProperty, type Product, type RowsKind} from './kind.ts';
import {
  columnWordsOf,
  rowSchemaOf,
  isOfAddresses,
  namedColumns,
  namedRows,
  paidRows,
  shownRows,
  webAddress,
  type NamedRowProduct,
} from './rows/named-rows.ts';

export interface ClassShareProduct extends NamedRowProduct {
  readonly class: string | boolean | readonly string[];
  readonly column: string;
  /** The name of the share, if it differs from that of its class. */
  readonly as?: string;
  /** A column whose values are groups. */
  readonly by?: string;
  /** The columns that are sold in addition to the key. All columns by default. */
  readonly columns?: readonly string[];
}

/** The share of some classes in a frozen list: specification, "Soft Fail 3 sample". */
export default {
  name: 'class-share',
  reads: 'rows',
  hasListed: true,
  marks: ['rows_n', 'counts', 'age_hours'],
  statements: [],
  product: {
    required: ['source', 'class'],
    properties: {
      ...namedRows,
      ...wordProperties,
      ...listedProperty,
      class: {
        type: ['string', 'boolean', 'array'],
        minItems: 1,
        uniqueItems: true,
        items: {type: 'string'},
        description: 'a class, or a list of classes',
      },
      column: {type: 'string', default: 'class'},
      as: {
        type: 'string',
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        description: 'the beginning of a member name: a lower-case letter, then such letters, digits and "_"',
      },
      by: {type: 'string'},
      columns: {type: 'array', minItems: 1, uniqueItems: true, items: {type: 'string'}},
    },
  },

  ask(product, {age_hours}, table) {
    const [share, by, key, named] = allNow(
      () => classShareOf(product, table),
      () => columnOfGroups(product, table),
      () => table.keyColumn(product),
      () => namedColumns(product, table),
    );
    const grouping = by && groupingOf(by, table, share);
    const columns = table.fields.map(({name}) => name).filter(name => name === key.name || named.includes(name));
    const {name, classes} = share;
    const shown = isOfAddresses(key) ? webAddress : typeRules(key).schema;
    const {rows, rules} = shownRows(product, table, share.where, {key: key.name, columns, shown});
    const rowsByClass = table.countBy(product.column);
    const lacking = table.count(`${table.value(product.column)} IS NULL`);
    return {
      measures: [rowsByClass, lacking, rows, ...(grouping?.measures ?? [])],
      rules,
      answer(read) {
        const [matching, found] = [read(rows), read(rowsByClass)];
        const missing = read(lacking);
        const total = sum([...found.values()]) + missing;
        const n = sum(classes.map(label => found.get(label) ?? 0));
        const ratio = ratioOf(n, total);
        const ofClasses = Object.fromEntries(share.all.map(label => [label, found.get(label) ?? 0]));
        const counts = {...ofClasses, ...(share.mayLack && {[MISSING]: missing}), total};
        const numbers = {rows_n: total, [`${name}_n`]: n, [`${name}_ratio`]: ratio};
        const isPlain = classes.length === 1 && classes[0] === name;
        const groups = grouping?.figures(read, total, n) ?? {};
        // The specification's sample has the counts twice, and examples with only the key.
        const isSpecified = product.listed === false;
        const mix = {
          ...{...numbers, ...(isPlain ? {} : {classes}), counts},
          ...(isSpecified && {class_mix: counts}),
          ...groups,
        };
        const examples = matching.slice(0, product.examples);
        const schemas = {
          ...figureSchemas(mix),
          ...labelled(figureSchemas(numbers), product),
          ...(isPlain ? {} : {classes: {type: 'array', items: {type: 'string'}}}),
          ...grouping?.schemas,
        };
        const age = labelled({age_hours: count}, product);
        const row = rowSchemaOf(table, columns);
        const grouped = by && chartGroups(by, groups, name);
        return {
          figures: {...mix, age_hours},
          summary: shareSummary(product, share, numbers),
          chart: {
            shape: 'bar',
            unit: unitOf(product, 'rows_n') ?? 'rows',
            claim: share.claim,
            parts: chartParts(product, share, counts),
            ...(grouped && {groups: grouped}),
          },
          sample: {...mix, examples: isSpecified ? examples.map(row => row[key.name]) : examples, age_hours},
          examples,
          paidContent: paidRows(product, matching, n),
          shape: {
            figures: {...schemas, ...age},
            sample: {...schemas, examples: {type: 'array', items: isSpecified ? shown : row}, ...age},
            row,
            columnWords: columnWordsOf(table, columns),
          },
        };
      },
    };
  },

  disagreements(document) {
    const member = Object.keys(document).find(member => member.endsWith('_ratio'));
    const name = member?.slice(0, -'_ratio'.length) ?? '';
    const {[`${name}_n`]: n, [`${name}_ratio`]: ratio, rows_n: rows, rows_total: sold = n} = document;
    const counts = (document['counts'] ?? {}) as Record<string, number>;
    const classes = (document['classes'] ?? [name]) as readonly string[];
    const {total, ...others} = counts;
    const ofClasses = classes.map(label => `counts.${label}`).join(' + ');
    return [
      ...trueOf({
        'counts do not add up to counts.total': sum(Object.values(others)) !== total,
        'counts.total is not rows_n': total !== rows,
        [`${ofClasses} is not ${name}_n`]: sum(classes.map(label => counts[label] ?? NaN)) !== n,
        'class_mix is not counts':
          'class_mix' in document && JSON.stringify(counts) !== JSON.stringify(document['class_mix']),
        [`${name}_ratio is not ${name}_n / rows_n`]: ratioOf(Number(n), Number(rows)) !== ratio,
        [`rows_total is not ${name}_n`]: sold !== n,
      }),
      ...groupDisagreements(document, name),
    ];
  },
} satisfies RowsKind<ClassShareProduct>;

function shareSummary(
  product: Product,
  {name, label, claim}: Share,
  numbers: Readonly<Record<string, number>>,
): string {
  const {rows_n: total = 0, [`${name}_n`]: n, [`${name}_ratio`]: ratio = 0} = numbers;
  const whole = `${digitsOf('rows_n', total)} ${unitOf(product, 'rows_n') ?? 'rows'}`;
  return label === undefined
    ? `${digitsOf('rows_n', n)} of ${whole} ${claim}, a ratio of ${ratio}`
    : shareWords(percentOf(ratio), whole, label);
}

/** The classes with their counts for people. A class is named by its label; for a boolean, by the share's label or the column's name. */
function chartParts(product: ClassShareProduct, share: Share, counts: Readonly<Record<string, number>>) {
  const wordsOf = (name: string, claimed: boolean) => {
    if (typeof product.class !== 'boolean') return classWords(product, name);
    if (share.label === undefined) return booleanWords(product.column, name);
    return claimed ? share.label : `not ${share.label}`;
  };
  const parts = share.all.map(name => {
    const claimed = share.classes.includes(name);
    return {label: wordsOf(name, claimed), n: counts[name] ?? 0, claimed};
  });
  return [...parts, ...(share.mayLack ? [{label: MISSING, n: counts[MISSING] ?? 0, claimed: false}] : [])];
}
