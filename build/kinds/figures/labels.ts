import {englishPercent, seenText} from '../../../shared/english.ts';
import type {Fault} from '../../../shared/fault.ts';
import {lineOf} from '../../../shared/line-of-text.ts';
import type {JsonSchema} from '../../read/validator.ts';
import type {Json} from '../kind.ts';

/** The labels of figures and the units that they count. */
export interface Words {
  readonly labels?: Readonly<Record<string, string>>;
  readonly units?: Readonly<Record<string, string>>;
}

/** The members of a product that label its figures. */
export const wordProperties = {
  labels: {type: 'object', minProperties: 1, additionalProperties: lineOf(80)},
  units: {type: 'object', minProperties: 1, additionalProperties: lineOf(40)},
} as const;

/** Returns the label of a figure in the product's file, or undefined. */
export function labelOf({labels}: Words, figure: string): string | undefined {
  return labels && Object.hasOwn(labels, figure) ? labels[figure] : undefined;
}

/** Returns a class of a `class-share` for people. */
export function classWords(words: Words, name: string): string {
  return labelOf(words, name) ?? seenText(name);
}

/** Returns the unit of a figure in the product's file, or undefined. */
export function unitOf({units}: Words, figure: string): string | undefined {
  return units && Object.hasOwn(units, figure) ? units[figure] : undefined;
}

/** Returns the label of a figure. Without one it is derived from the name: `dead` for `dead_n`, `share of dead` for `dead_ratio`. */
export function figureLabel(words: Words, name: string): string {
  const label = labelOf(words, name);
  if (label !== undefined) return label;
  const [, stem = '', ending] = /^(.*?)(?:(?:^|_)(n|ratio))?$/s.exec(name) ?? [];
  const plain = stem.replaceAll('_', ' ').trim();
  if (ending !== 'ratio') return plain || name;
  return plain === '' ? 'share' : `share of ${plain}`;
}

/** Returns `isOpen = true`. The name of a column can be any word, so it does not become part of a sentence. */
export function booleanWords(column: string, value: boolean | string): string {
  return `${seenText(column)} = ${value}`;
}

/** Errors of labels and units that do not belong to a figure or, for labels, a class of the product. */
export function wordFaults({file, labels = {}, units = {}}: Words & {readonly file: string}, figures: Json): Fault[] {
  const names = namesOf(figures);
  const members = Object.values(figures).flatMap(value => (isObject(value) ? Object.keys(value) : []));
  const classes = [...new Set(members)].filter(name => name !== 'total');
  const figuresOnly = `is not one of the figures ${names.join(', ')}`;
  const orClasses = classes.length > 0 ? ` or of the classes ${classes.join(', ')}` : '';
  const unknown = (member: string, words: object, known: readonly string[], rule: string) =>
    Object.keys(words)
      .filter(name => !known.includes(name))
      .map(name => ({code: 'FZ204' as const, file, field: `${member}.${name}`, rule}));
  return [
    ...unknown('labels', labels, [...names, ...classes], figuresOnly + orClasses),
    ...unknown('units', units, names, figuresOnly),
  ];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of figures that are single values. */
function namesOf(figures: Json): string[] {
  return Object.keys(figures).filter(name => typeof figures[name] !== 'object');
}

/** Adds labels as titles, and units, to the JSON Schemas of figures. */
export function labelled<S extends JsonSchema>(
  schemas: Readonly<Record<string, S>>,
  words: Words,
): Readonly<Record<string, JsonSchema>> {
  const entries = Object.entries(schemas).map(([name, schema]): [string, JsonSchema] => {
    const [title, unit] = [labelOf(words, name), unitOf(words, name)];
    const texts = [schema['description'], unit === undefined ? undefined : `unit: ${unit}`];
    const description = texts.filter(text => typeof text === 'string').join('; ');
    return [name, {...(title !== undefined && {title}), ...schema, ...(description !== '' && {description})}];
  });
  return Object.fromEntries(entries);
}

/** Returns for example `18 % of 250 countries are landlocked`. */
export function shareWords(percent: string, whole: string, label: string): string {
  return `${percent} of ${whole} are ${label}`;
}

/** Returns `30.8 %` for 0.3077: one decimal, or two digits below 1 %. Never 0 % of some or 100 % of fewer than all. */
export function percentOf(ratio: number): string {
  if (ratio > 0.999 && ratio < 1) return 'more than 99.9 %';
  if (ratio > 0 && ratio < 0.0001) return 'less than 0.01 %';
  return englishPercent(ratio, Math.abs(ratio) < 0.01 ? {maxSignificant: 2} : {maxFraction: 1}).replace('%', ' %');
}

/** True if thousands of a figure or column are not separated, because it is a year according to its name. */
export function isYear(name: string): boolean {
  return /(^|_)years?(_|$)/i.test(name);
}

/** Returns all digits of a number, with commas between thousands. */
export function digitsOf(name: string, value: unknown): string {
  if (typeof value !== 'number' || isYear(name)) return String(value);
  return String(value).replace(/^-?\d+/, whole => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','));
}

/** Returns a figure with its unit. A share is in percent. */
export function amountOf(words: Words, name: string, value: unknown, show: (value: unknown) => string): string {
  if (isRatio(words, name, value)) return percentOf(Number(value));
  const unit = unitOf(words, name);
  const shown = seenText(show(value));
  return unit === undefined ? shown : `${shown} ${unit}`;
}

/**
 * Returns the figures as text with labels and units: `18 % of 250 countries are landlocked, median area: 41,277 km²`. Without labels and
 * units: `rows: 26, dead: 11`.
 */
export function figuresInWords(figures: Json, words: Words): string {
  const names = namesOf(figures);
  if (names.length === 0) return 'the figures follow';
  const amount = (name: string) => amountOf(words, name, figures[name], value => digitsOf(name, value));
  const isShare = (name: string) =>
    labelOf(words, name) !== undefined && (unitOf(words, name) === '%' || isRatio(words, name, figures[name]));
  const wholes = new Map(names.filter(isShare).map(name => [name, wholeOf(name, figures, words)]));
  const inShares = new Set(wholes.values());
  return names
    .filter(name => !inShares.has(name))
    .map(name => {
      const label = figureLabel(words, name);
      if (isNamedByUnit(words, name)) return amount(name);
      const whole = wholes.get(name);
      return whole === undefined ? `${label}: ${amount(name)}` : shareWords(amount(name), amount(whole), label);
    })
    .join(', ');
}

/** A share that a query rounds differs from the exact one by at most this part of it. */
const ROUNDED = 0.05;

/**
 * Returns the figure with a unit of which a share is a part. For `<x>_ratio` it is the one of which `<x>_n` is this share, if the product
 * has `<x>_n`. Otherwise it is the first one.
 */
function wholeOf(share: string, figures: Json, words: Words): string | undefined {
  const wholes = namesOf(figures).filter(name => ![undefined, '%'].includes(unitOf(words, name)));
  const counted = share.replace(/ratio$/, 'n');
  if (counted === share || !Object.hasOwn(figures, counted)) return wholes[0];
  const [n, ratio] = [counted, share].map(name => Number(figures[name])) as [number, number];
  const errorOf = (name: string) => Math.abs(ratio * Number(figures[name]) - n);
  const [nearest] = wholes.toSorted((a, b) => errorOf(a) - errorOf(b));
  return nearest !== undefined && errorOf(nearest) <= ROUNDED * Math.abs(n) ? nearest : undefined;
}

/** True if the unit says what a figure without a label counts: `250 countries`. */
export function isNamedByUnit(words: Words, name: string): boolean {
  const unit = unitOf(words, name);
  if (unit === undefined || labelOf(words, name) !== undefined) return false;
  return /((^|_)n|^total)$/.test(name) || figureLabel(words, name) === unit;
}

/** True if a figure is shown in percent: a ratio that has a label, or is between 0 and 1. */
function isRatio(words: Words, name: string, value: unknown): boolean {
  // A decimal is a string of its digits.
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  if (!isNumber || !/(^|_)ratio$/.test(name)) return false;
  return labelOf(words, name) !== undefined || (Number(value) >= 0 && Number(value) <= 1);
}
