import type {RowsKind} from './kind.ts';
import {namedRows, present, shownRows, webAddress, type NamedRowProduct} from './rows/named-rows.ts';
import {InputError} from '../../shared/fault.ts';
import type {Table} from '../rows/table.ts';
import {literal} from '../rows/sql.ts';
import {ratioOf, sum, trueOf} from './figures/counts.ts';
import {count, figureSchemas} from './figures/schemas.ts';

interface ClassShareProduct extends NamedRowProduct {
  readonly class: string;
  readonly column: string;
}

/** Share of one class in a frozen list: specification, "Soft Fail 3 sample". */
export default {
  name: 'class-share',
  reads: 'rows',
  listed: true,
  marks: ['rows_n', 'counts', 'class_mix'],
  statements: [],
  product: {
    required: ['source', 'class'],
    properties: {
      ...namedRows,
      class: {
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
        description: 'a class that can be part of a member name: a letter, then letters, digits and "_"',
      },
      column: {type: 'string', default: 'class'},
    },
  },

  ask(product, {age_hours}, table) {
    const classes = classesOf(product, table);
    const inClass = `${table.value(product.column)} = ${literal(product.class)}`;
    const {key, rows, rules} = shownRows(product, table, inClass, {[product.column]: product.class});
    const rowsByClass = table.countBy(product.column);
    return {
      measures: [rowsByClass, rows],
      rules: [...rules, ...present(table, product.column)],
      answer(read) {
        const [matching, found] = [read(rows), read(rowsByClass)];
        const parts = classes.map(label => ({label, n: found.get(label) ?? 0, claimed: label === product.class}));
        const [n, total] = [found.get(product.class) ?? 0, sum([...found.values()])];
        const ratio = ratioOf(n, total);
        const counts = {...Object.fromEntries(parts.map(part => [part.label, part.n])), total};
        const share = {[`${product.class}_n`]: n, [`${product.class}_ratio`]: ratio};
        const mix = {rows_n: total, ...share, counts, class_mix: counts};
        const examples = matching.slice(0, product.examples).map(row => row[key]);
        const schemas = figureSchemas(mix);
        return {
          figures: {...mix, age_hours},
          finding: `${n} of ${total} rows are classed ${product.class}, a ratio of ${ratio}`,
          picture: {shape: 'bar', unit: 'rows', claim: `are classed ${product.class}`, parts},
          sample: {...mix, examples, age_hours},
          goods: {type: 'rows', rows: matching.slice(0, product.max_rows), total: n},
          shape: {
            figures: {...schemas, age_hours: count},
            sample: {...schemas, examples: {type: 'array', items: webAddress}, age_hours: count},
            row: table.rowSchema,
          },
        };
      },
    };
  },

  disagreements(document) {
    const share = Object.keys(document).find(member => member.endsWith('_ratio'));
    const name = share?.slice(0, -'_ratio'.length) ?? '';
    const {[`${name}_n`]: n, [`${name}_ratio`]: ratio, rows_n: rows, rows_total: sold = n} = document;
    const counts = (document['counts'] ?? {}) as Record<string, number>;
    const {total, ...classes} = counts;
    return trueOf({
      'counts do not add up to counts.total': sum(Object.values(classes)) !== total,
      'counts.total is not rows_n': total !== rows,
      [`counts.${name} is not ${name}_n`]: counts[name] !== n,
      'class_mix is not counts': JSON.stringify(counts) !== JSON.stringify(document['class_mix']),
      [`${name}_ratio is not ${name}_n / rows_n`]: ratioOf(Number(n), Number(rows)) !== ratio,
      [`rows_total is not ${name}_n`]: sold !== n,
    });
  },
} satisfies RowsKind<ClassShareProduct>;

/** The classes of the column, in the order of its enum. Throws `InputError` where the product's class is none of them. */
function classesOf(product: ClassShareProduct, table: Table): string[] {
  const column = table.field(product.column, 'string', product.file);
  const classes = column.constraints?.enum?.map(String);
  const fault = (field: string, value: string, rule: string) =>
    new InputError({file: product.file, field, value, rule});
  if (!classes) throw fault('column', product.column, `has no enum in ${table.freeze.descriptor}: counts follow it`);
  if (!classes.includes(product.class)) throw fault('class', product.class, `is not one of ${classes.join(', ')}`);
  const reserved = classes.find(name => name === 'total' || name === '__proto__');
  if (reserved !== undefined)
    throw fault('column', product.column, `has a class "${reserved}", which counts cannot hold`);
  if (product.class === 'rows') throw fault('class', 'rows', 'would take the place of rows_n');
  return classes;
}
