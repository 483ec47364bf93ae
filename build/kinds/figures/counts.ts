import {object, type JsonSchema} from '../../read/validator.ts';
import type {Json} from '../kind.ts';
import {labelOf, unitOf, type Words} from './labels.ts';

/** The quotient as a double; 0 for an empty list (docs/formats.md, "Decisions"). */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the sentences whose value is true. */
export function trueOf(sentences: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(sentences).filter(sentence => sentences[sentence]);
}

/** JSON Schema of a number of rows, or of whole hours. */
export const count = {type: 'integer', minimum: 0} as const;

const ratio = {type: 'number', minimum: 0, maximum: 1} as const;

/**
 * Returns JSON Schemas of figures by name. Figures named `ratio` are shares, objects have a count for each class, all others are counts.
 * Objects allow further classes, so that a class in a later freeze does not change the shape of `v1`.
 */
export function figureSchemas(figures: Json): Readonly<Record<string, JsonSchema>> {
  const schemas = Object.entries(figures).map(([name, value]): [string, JsonSchema] => {
    if (typeof value !== 'object' || value === null) return [name, /(^|_)ratio$/.test(name) ? ratio : count];
    const classes = object(Object.fromEntries(Object.keys(value).map(member => [member, count])));
    return [name, {...classes, additionalProperties: count}];
  });
  return Object.fromEntries(schemas);
}

/** A chart of figures: a whole and its parts, some of which the product is about ("claimed"). */
export interface Chart {
  readonly shape: 'bar' | 'dots';
  /** The counted things, in the plural, for example `rows`. */
  readonly unit: string;
  /** Completes "8 of 26 rows …", for example `are classed soft_fail`. Undefined if no share is claimed. */
  readonly claim?: string;
  readonly parts: readonly {readonly label: string; readonly n: number; readonly claimed: boolean}[];
  /** The figures that it draws. All by default. */
  readonly draws?: readonly string[];
  readonly groups?: ChartGroups;
}

export interface ChartGroups {
  /** The title or name of the column whose values are the groups. */
  readonly by: string;
  /** How many of each group are claimed. */
  readonly items: readonly {readonly label: string; readonly n: number; readonly total: number}[];
}

/** Returns the claimed number, the whole, and their ratio (0 for an empty whole). */
export function shareOf({parts}: Chart): {readonly n: number; readonly total: number; readonly ratio: number} {
  const n = sum(parts.filter(part => part.claimed).map(part => part.n));
  const total = sum(parts.map(part => part.n));
  return {n, total, ratio: ratioOf(n, total)};
}

/**
 * Returns a chart of the first share among figures, or undefined. The share is `<x>_ratio`, which must be exactly `<x>_n` divided by the
 * whole: `rows_n`, `total`, or the first figure with a unit.
 */
export function shareChart(figures: Readonly<Record<string, unknown>>, words: Words): Chart | undefined {
  const names = Object.keys(figures);
  const called = ['rows_n', 'total', names.find(name => ![undefined, '%'].includes(unitOf(words, name)))];
  const whole = called.find(name => name !== undefined && isCount(figures[name]));
  const stem = names
    .flatMap(name => /^(.+)_ratio$/.exec(name)?.[1] ?? [])
    .find(stem => isCountedShare(figures[`${stem}_n`], figures[whole ?? ''], figures[`${stem}_ratio`]));
  if (whole === undefined || stem === undefined) return undefined;
  const [count, share] = [`${stem}_n`, `${stem}_ratio`];
  const [n, total] = [Number(figures[count]), Number(figures[whole])];
  const label = labelOf(words, share) ?? labelOf(words, count);
  const name = label ?? stem.replaceAll('_', ' ');
  return {
    shape: 'bar',
    unit: unitOf(words, whole) ?? (whole === 'rows_n' ? 'rows' : 'in all'),
    // The name of a figure can be any word, so "are" does not precede it.
    claim: label === undefined ? `are counted as ${name}` : `are ${label}`,
    parts: [
      {label: name, n, claimed: true},
      {label: label === undefined ? 'others' : `not ${label}`, n: total - n, claimed: false},
    ],
    draws: [whole, count, share],
  };
}

function isCountedShare(n: unknown, whole: unknown, ratio: unknown): boolean {
  return isCount(n) && isCount(whole) && n <= whole && ratioOf(n, whole) === ratio;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
