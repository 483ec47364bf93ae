import type {Content, Inquiry, Json, Product, RowsKind, Shape} from './kind.ts';
import {namedRows, present, webAddress, webAddresses, type NamedRows} from './rows/named-rows.ts';
import {InputError} from '../../shared/fault.ts';
import type {Freeze} from '../read/freezes.ts';
import type {Row, Table} from '../rows/table.ts';
import {literal} from '../rows/sql.ts';
import {count, ratio, ratioOf, sum} from './figures/counts.ts';

interface ClassShareProduct extends Product, NamedRows {
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

  ask(product, freeze, table) {
    const key = table.textKey(product);
    const classes = classesOf(product, table);
    const counts = table.countBy(product.column);
    const inClass = `${table.value(product.column)} = ${literal(product.class)}`;
    const matching = table.first(key, Math.max(product.max_rows, product.examples), inClass, {
      [product.column]: product.class,
    });
    return {
      measures: [counts, matching],
      rules: [webAddresses(table, key, matching, inClass), ...present(table, key), ...present(table, product.column)],
      answer: read => contentOf(product, freeze, table, classes, read(counts), read(matching)),
    } satisfies Inquiry;
  },

  disagreements(document) {
    const share = Object.keys(document).find(member => member.endsWith('_ratio'));
    const name = share?.slice(0, -'_ratio'.length) ?? '';
    const counts = (document['counts'] ?? {}) as Record<string, number>;
    const {total, ...classes} = counts;
    const rows = document['rows_n'];
    return [
      ...(sum(Object.values(classes)) === total ? [] : ['counts do not add up to counts.total']),
      ...(total === rows ? [] : ['counts.total is not rows_n']),
      ...(counts[name] === document[`${name}_n`] ? [] : [`counts.${name} is not ${name}_n`]),
      ...(JSON.stringify(counts) === JSON.stringify(document['class_mix']) ? [] : ['class_mix is not counts']),
      ...(ratioOf(Number(document[`${name}_n`]), Number(rows)) === document[`${name}_ratio`]
        ? []
        : [`${name}_ratio is not ${name}_n / rows_n`]),
      ...('rows_total' in document && document['rows_total'] !== document[`${name}_n`]
        ? [`rows_total is not ${name}_n`]
        : []),
    ];
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

function contentOf(
  product: ClassShareProduct,
  freeze: Freeze,
  table: Table,
  classes: readonly string[],
  counted: ReadonlyMap<string, number>,
  matching: readonly Row[],
): Content {
  const share = {n: `${product.class}_n`, ratio: `${product.class}_ratio`};
  const n = counted.get(product.class) ?? 0;
  const total = sum([...counted.values()]);
  const counts = {...Object.fromEntries(classes.map(name => [name, counted.get(name) ?? 0])), total};
  const mix = {rows_n: total, [share.n]: n, [share.ratio]: ratioOf(n, total), counts, class_mix: counts};
  const examples = matching.slice(0, product.examples).map(row => row[table.textKey(product)]);
  return {
    figures: {...mix, age_hours: freeze.age_hours},
    finding: `${n} of ${total} rows are classed ${product.class}, a ratio of ${ratioOf(n, total)}`,
    picture: {
      shape: 'bar',
      unit: 'rows',
      claim: `are classed ${product.class}`,
      parts: classes.map(name => ({label: name, n: counted.get(name) ?? 0, claimed: name === product.class})),
    },
    sample: {...mix, examples, age_hours: freeze.age_hours},
    goods: {type: 'rows', rows: matching.slice(0, product.max_rows), total: n},
    shape: shapeOf(table, share, counts),
  };
}

function shapeOf({rowSchema}: Table, share: {n: string; ratio: string}, counts: Json): Shape {
  const mix: Json = {
    rows_n: count,
    [share.n]: count,
    [share.ratio]: ratio,
    counts: countsSchema(counts),
    class_mix: countsSchema(counts),
  };
  return {
    figures: {...mix, age_hours: count},
    sample: {...mix, examples: {type: 'array', items: webAddress}, age_hours: count},
    row: rowSchema,
  };
}

function countsSchema(counts: Json): Json {
  const names = Object.keys(counts);
  return {
    type: 'object',
    additionalProperties: false,
    required: names,
    properties: Object.fromEntries(names.map(name => [name, count])),
  };
}
