import {FUNCTIONS} from './allowed.ts';
import {small, type SyntaxNode} from './syntax.ts';
import {isDeepStrictEqual} from 'node:util';
import type {Fault} from '../../../shared/fault.ts';
import type {Json} from '../kind.ts';

const orderedFunctions = new Set(FUNCTIONS.filter(group => group.follows).flatMap(({names}) => names));
/** Types whose sums are exact. */
const EXACT = /^(DECIMAL|(U?(TINY|SMALL|BIG|HUGE)INT)|U?INTEGER)$/;
const LIMITS = /^LIMIT(_PERCENT)?_MODIFIER$/;

/**
 * True if the result of a statement could depend on the order in which its tables store their rows: it has a window, an aggregate that
 * depends on the order, a sum of doubles, a LIMIT in a subquery, or another part known to depend on it.
 */
export function mayFollowRowOrder(node: SyntaxNode): boolean {
  const {modifiers = [], ...others} = node;
  // A LIMIT of the whole statement is safe, because its rows are in a total order first.
  const inner = (modifiers as readonly SyntaxNode[]).map(modifier =>
    LIMITS.test(String(modifier['type'])) ? {...modifier, type: ''} : modifier,
  );
  return follows({...others, modifiers: inner});
}

function follows(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(follows);
  const node = value as SyntaxNode;
  return dependsOnOrder(node) || Object.values(node).some(follows);
}

function dependsOnOrder(node: SyntaxNode): boolean {
  const {class: kind, type, ref_type: join, column_names: names, distinct_on_targets: distinctOn} = node;
  return (
    kind === 'WINDOW' ||
    // Different strings can be equal in a collation.
    kind === 'COLLATE' ||
    (kind === 'FUNCTION' && isOrderedCall(node)) ||
    LIMITS.test(String(type)) ||
    type === 'RECURSIVE_CTE_NODE' ||
    type === 'PIVOT' ||
    join === 'POSITIONAL' ||
    join === 'ASOF' ||
    (Array.isArray(distinctOn) && distinctOn.length > 0) ||
    (Array.isArray(names) && small(String(names.at(-1))) === 'rowid')
  );
}

function isOrderedCall({function_name: called, children}: SyntaxNode): boolean {
  const name = small(String(called));
  if (!orderedFunctions.has(name)) return false;
  const [argument] = children as readonly (SyntaxNode | undefined)[];
  const type = argument?.['cast_type'] as {readonly id?: string} | undefined;
  return !(name === 'sum' && EXACT.test(type?.id ?? ''));
}

/** The rows of an answer as JSON values, and the number of all rows. */
export interface Answered {
  readonly values: readonly Json[];
  readonly total: number;
}

const TWICE = 'is not reproducible: with its tables in another order,';
const ORDER =
  'End each ORDER BY, also in windows, with columns in which all rows differ. Add an ORDER BY inside first(), list(), string_agg() and similar functions.';
const DOUBLES = 'Add decimals, as in sum(x::DECIMAL(18, 4)), or round the result.';

/** Returns the first difference between two results of a statement, and the remedy. Undefined if they are byte-for-byte equal. */
export function unsteadyRule(one: Answered, other: Answered): Pick<Fault, 'rule' | 'fix'> | undefined {
  const at = one.values.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(other.values[index]));
  const [row, again] = [one.values[at], other.values[at]];
  if (row && again) {
    const name = Object.keys(row).find(column => JSON.stringify(row[column]) !== JSON.stringify(again[column])) ?? '';
    const [first, second] = [row[name], again[name]];
    const column = `column ${name}${one.total === 1 ? '' : ` of row ${at + 1}${rowNameOf(row, again)}`}`;
    const rule = `${TWICE} ${column} is ${shown(second, first)}, not ${shown(first, second)}`;
    return areRounded(first, second)
      ? {rule: `${rule}, because sums of doubles depend on the order of rows`, fix: DOUBLES}
      : {rule, fix: ORDER};
  }
  if (one.total === other.total && one.values.length === other.values.length) return undefined;
  return {rule: `${TWICE} it returns ${other.total} rows, not ${one.total}`, fix: ORDER};
}

function isNested(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** A column that helps to find the row: the first with the same value in both. */
function rowNameOf(row: Json, again: Json): string {
  const name = Object.keys(row).find(column => !isNested(row[column]) && row[column] === again[column]);
  return name === undefined ? '' : ` (${name} ${shown(row[name])})`;
}

/** True if two values differ only in numbers, and only as much as sums of the same doubles can. */
function areRounded(one: unknown, other: unknown): boolean {
  if (isNested(one) && isNested(other)) {
    const names = Object.keys(one);
    const differing = names.filter(name => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
    return isDeepStrictEqual(names, Object.keys(other)) && differing.every(name => areRounded(one[name], other[name]));
  }
  if (typeof one !== 'number' || typeof other !== 'number') return false;
  const areWhole = Number.isSafeInteger(one) && Number.isSafeInteger(other);
  return !areWhole && Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

const MOST_SHOWN = 60;

/** A value as JSON. A long value is cut to the part around its first difference from `other`. */
function shown(value: unknown, other?: unknown): string {
  const [text, against] = [JSON.stringify(value), other === undefined ? '' : JSON.stringify(other)];
  if (text.length <= MOST_SHOWN) return text;
  let same = 0;
  while (same < text.length && text[same] === against[same]) same++;
  const from = Math.max(0, same - MOST_SHOWN / 2);
  const end = from + MOST_SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}
