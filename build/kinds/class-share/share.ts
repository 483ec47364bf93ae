import slugify from '@sindresorhus/slugify';
import type {ErrorCode} from '../../../shared/error-codes.ts';
import {firstOf} from '../../../shared/english.ts';
import {InputError, refuse} from '../../../shared/fault.ts';
import {booleanWords, classWords, labelOf} from '../figures/labels.ts';
import {literal} from '../../rows/sql.ts';
import type {Table} from '../../rows/table.ts';
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
  /** The product's label for the share. */
  readonly label: string | undefined;
  /** Completes "8 of 26 rows …". */
  readonly claim: string;
  /** An SQL predicate for its rows. */
  readonly where: string;
}

/** A share whose claim does not use its label. */
type Unlabelled = Omit<Share, 'label'>;

/** Returns the share that a product asks for. Throws `InputError` if the table lacks its column or class, or its name is not allowed. */
export function classShareOf(product: ClassShareProduct, table: Table): Share {
  const fix = 'Set "column" to the column with the classes. The default is "class".';
  const {column, file} = product;
  // If the product does not name a column, its list is more likely the mistake.
  const member = column === 'class' ? undefined : 'column';
  const {type} = table.column(column, {file, member, fix});
  const share: Unlabelled = type === 'boolean' ? ofBoolean(product, table) : ofClasses(product, table);
  const label = labelOf(product, `${share.name}_ratio`) ?? labelOf(product, `${share.name}_n`);
  return {...share, label, claim: label === undefined ? share.claim : `are ${label}`};
}

function ofBoolean(product: ClassShareProduct, table: Table): Unlabelled {
  const {column, class: wanted} = product;
  const rule = `is not true or false, as column "${column}" is`;
  if (typeof wanted !== 'boolean')
    throw shareFault('FZ204', product, 'class', rule, 'Write true or false, without quotation marks.');
  const own = slugify(column, {separator: '_'});
  const value = table.value(column);
  return {
    name: shareName(product, own && (wanted ? own : `not_${own}`), []),
    classes: [String(wanted)],
    all: ['true', 'false'],
    mayLack: !table.isRequired(column),
    claim: `have ${booleanWords(column, wanted)}`,
    where: wanted ? value : `NOT ${value}`,
  };
}

const RENAME_CLASS =
  'Rename the class in the list, and freeze it with `--new-schema`. To replace a freeze of the same date, add `--replace`.';

function ofClasses(product: ClassShareProduct, table: Table): Unlabelled {
  const {file, column} = product;
  const ofColumn = (rule: string, fix?: string) => shareFault('FZ213', product, 'column', rule, fix);
  const all = table.field(column, 'string', file).constraints?.enum?.map(String);
  if (!all) {
    const classes = [product.class].flat().map(name => JSON.stringify(name));
    throw ofColumn(
      `does not have an enum in ${table.freeze.descriptor}: add all its classes there before you publish the freeze, as in "constraints": {"enum": [${classes.join(', ')}, …]}`,
    );
  }
  const reserved = all.find(name => name === 'total' || name === '__proto__');
  if (reserved !== undefined)
    throw ofColumn(`has a class "${reserved}", which "counts" cannot have as a member`, RENAME_CLASS);
  const mayLack = !table.isRequired(column);
  if (mayLack && all.includes(MISSING))
    throw ofColumn(`has a class "${MISSING}", which "counts" uses for rows without a class`, RENAME_CLASS);
  const unknown = [product.class].flat().filter(name => typeof name !== 'string' || !all.includes(name));
  const rule = `is not one of ${firstOf(all)}`;
  const fix = 'Correct it, or add the class to the list with `frozen freeze --add-class`.';
  refuse(unknown.map(value => ({code: 'FZ204', file, field: 'class', value, rule, fix})));
  const classes = [product.class].flat().map(String);
  const [first = '', ...others] = classes;
  if (others.length > 0 && product.as === undefined)
    throw shareFault('FZ203', product, 'as', 'is missing: a share of several classes needs a name, such as "gone"');
  return {
    name: shareName(product, memberName(first), classes.length === 1 ? all.filter(name => name !== first) : all),
    classes,
    all,
    mayLack,
    claim: `are classed ${classes.map(name => classWords(product, name)).join(' or ')}`,
    where: `${table.value(column)} IN (${classes.map(literal).join(', ')})`,
  };
}

/** A class is used unchanged if it is a valid member name. Otherwise it is written in lower-case letters, digits and "_". */
function memberName(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? name : slugify(name, {separator: '_', decamelize: false});
}

/** @param taken names that belong to other classes */
function shareName(product: ClassShareProduct, own: string, taken: readonly string[]): string {
  const name = product.as ?? own;
  const fault = (rule: string) => shareFault('FZ205', product, product.as === undefined ? 'class' : 'as', rule);
  if (name === '') throw fault('does not contain a letter or digit for the name of its figures: name them with "as"');
  if (name === 'rows') throw fault('would name a figure rows_n, which is already the name of another figure');
  if (taken.includes(name)) throw fault('is the name of another class: choose another name with "as"');
  return name;
}

function shareFault(
  code: ErrorCode,
  product: ClassShareProduct,
  field: 'class' | 'column' | 'as',
  rule: string,
  fix?: string,
) {
  const {file, [field]: value} = product;
  return new InputError({code, file, field, ...(value !== undefined && {value}), rule, fix});
}
