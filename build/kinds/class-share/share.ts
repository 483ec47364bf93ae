import slugify from '@sindresorhus/slugify';
import type {ErrorCode} from '../../../shared/error-codes.ts';
import {InputError, refuse} from '../../../shared/fault.ts';
import {labelOf} from '../figures/labels.ts';
import {literal} from '../../rows/sql.ts';
import type {Row, Table} from '../../rows/table.ts';
import type {ClassShareProduct} from '../class-share.ts';

/** The member of `counts` for rows without a class. */
export const MISSING = 'missing';

/** The classes of a column that a product counts together, and the name of their share. */
export interface Share {
  /** Its members are `<name>_n` and `<name>_ratio`. */
  readonly name: string;
  /** Its classes, by their names in `counts`. */
  readonly classes: readonly string[];
  /** All classes of the column, in the order of `counts`. */
  readonly all: readonly string[];
  /** True if rows may lack a class. Then `counts` has a member for them. */
  readonly mayLack: boolean;
  /** Completes "8 of 26 rows …". */
  readonly claim: string;
  /** An SQL predicate for its rows, and the value of the column if all of them have the same. */
  readonly where: string;
  readonly known: Row;
}

/**
 * Returns the share that a product asks for. Throws `InputError` if the table lacks its column or class, or its name cannot be used for a
 * member.
 */
export function classShareOf(product: ClassShareProduct, table: Table): Share {
  return table.column(product.column, product.file).type === 'boolean'
    ? ofBoolean(product, table)
    : ofClasses(product, table);
}

function ofBoolean(product: ClassShareProduct, table: Table): Share {
  const {column, class: wanted} = product;
  const rule = `is not true or false, as column "${column}" is`;
  if (typeof wanted !== 'boolean') throw shareFault('FZ204', product, 'class', rule);
  const own = slugify(column, {separator: '_'});
  const value = table.value(column);
  return {
    name: shareName(product, own && (wanted ? own : `not_${own}`), []),
    classes: [String(wanted)],
    all: ['true', 'false'],
    mayLack: !table.isRequired(column),
    claim: `have ${column} ${wanted}`,
    where: wanted ? value : `NOT ${value}`,
    known: {[column]: wanted},
  };
}

function ofClasses(product: ClassShareProduct, table: Table): Share {
  const {file, column} = product;
  const ofColumn = (rule: string) => shareFault('FZ213', product, 'column', rule);
  const all = table.field(column, 'string', file).constraints?.enum?.map(String);
  if (!all)
    throw ofColumn(`has no enum in ${table.freeze.descriptor}: list its classes there before you publish the freeze`);
  const reserved = all.find(name => name === 'total' || name === '__proto__');
  if (reserved !== undefined) throw ofColumn(`has a class "${reserved}", which "counts" cannot have as a member`);
  const mayLack = !table.isRequired(column);
  if (mayLack && all.includes(MISSING))
    throw ofColumn(`has a class "${MISSING}", which "counts" uses for rows without a class`);
  const unknown = [product.class].flat().filter(name => typeof name !== 'string' || !all.includes(name));
  const rule = `is not one of ${all.join(', ')}: correct it, or add the class to the list with \`frozen freeze --add-class\``;
  refuse(unknown.map(value => ({code: 'FZ204', file, field: 'class', value, rule})));
  const classes = [product.class].flat().map(String);
  const [first = '', ...others] = classes;
  if (others.length > 0 && product.as === undefined)
    throw shareFault('FZ203', product, 'as', 'is missing: a share of several classes needs a name, such as "gone"');
  const [value, texts] = [table.value(column), classes.map(literal)];
  return {
    name: shareName(product, memberName(first), classes.length === 1 ? all.filter(name => name !== first) : all),
    classes,
    all,
    mayLack,
    claim: `are classed ${classes.map(name => labelOf(product, name) ?? name).join(' or ')}`,
    where: others.length > 0 ? `${value} IN (${texts.join(', ')})` : `${value} = ${texts.join()}`,
    known: others.length > 0 ? {} : {[column]: first},
  };
}

/** A class is used unchanged if it is a valid member name. Otherwise it is written in lower-case letters, digits and "_". */
function memberName(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? name : slugify(name, {separator: '_'});
}

/** @param taken names that belong to other classes */
function shareName(product: ClassShareProduct, own: string, taken: readonly string[]): string {
  const name = product.as ?? own;
  const fault = (rule: string) => shareFault('FZ205', product, product.as === undefined ? 'class' : 'as', rule);
  if (name === '') throw fault('has no letter or digit for the name of its figures: name them with "as"');
  if (name === 'rows') throw fault('would name a figure rows_n, which exists already');
  if (taken.includes(name)) throw fault('is the name of another class: name the share with "as"');
  return name;
}

function shareFault(code: ErrorCode, product: ClassShareProduct, field: 'class' | 'column' | 'as', rule: string) {
  const {file, [field]: value} = product;
  return new InputError({code, file, field, ...(value !== undefined && {value}), rule});
}
