import {englishCount, englishDate, englishList, englishNumber} from '../../../shared/english.ts';
import {amountOf, isYear, percentOf, unitOf, type Words} from '../../kinds/figures/labels.ts';
import {shareOf, type Chart} from '../../kinds/figures/counts.ts';
import type {Site} from '../../read/site.ts';
import {counted} from '../../../shared/counted.ts';
import {listedSources} from '../../documents/catalogue.ts';
import type {Edition, PaidContent, UnpagedRecord} from '../../documents/record.ts';

/** The number of parts and formats that are listed for a product. The others are only counted; the catalogue has all of them. */
export const SHOWN_EDITIONS = 20;

// Limits: characters of a claim and of a label, and parts in a sentence.
const MOST_CLAIM = 100;
const MOST_LABEL = 60;
const MOST_PARTS = 5;
/** The most characters about a source. */
const MOST_SOURCE = 300;

/** The short form of `percentOf`: `30.8%` for 0.3077, `<0.01%`, `>99.9%` */
export const percentWords = (ratio: number): string =>
  percentOf(ratio).replace('more than ', '>').replace('less than ', '<').replace(' %', '%');

/** Returns the change of a share, as the difference of the displayed percentages: `+3.8 points`. */
export function shareChangeWords(before: number, after: number): string {
  if (before === after) return 'unchanged';
  const points = shownPercent(after) - shownPercent(before);
  if (points === 0) return 'changed by less than 0.1 points';
  return `${minus(englishNumber(points, {plus: true}))} points`;
}

/** Returns the displayed percentage: 0 for `<0.01%`, 100 for `>99.9%`. */
function shownPercent(ratio: number): number {
  const shown = Number.parseFloat(percentWords(ratio));
  return Number.isNaN(shown) ? Math.round(ratio) * 100 : shown;
}

/** `1 May 2026`, for a UTC timestamp */
export const dateWords = (asOf: string): string => englishDate(new Date(asOf));

/** `1 May 2026, 12:00 UTC`, for a UTC timestamp in the format of the documents */
export const timeWords = (asOf: string): string =>
  `${dateWords(asOf)}, ${asOf.slice('YYYY-MM-DDT'.length, -':ss.sssZ'.length)} UTC`;

/** `a, b and 3 more`: the first names and the number of the others */
export function namesInWords(names: readonly string[], most = 8): string {
  const more = names.length - most;
  return englishList(more > 1 ? [...names.slice(0, most), `${englishNumber(more)} more`] : names);
}

/** A coordinate with at most three decimals. */
export const coordinate = (number: number): string => String(Number(number.toFixed(3)));

/** The text, or its beginning if it is too long. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The name of a class, group or part, shortened. */
export const shortLabel = (label: string): string => shortened(label, MOST_LABEL);

/** True for a URL that a page can link to. */
export const isWebAddress = (text: string | undefined): text is string => /^https?:\/\//.test(text ?? '');

/** Returns the description of the site. */
export function describe({description}: Site): string {
  return description ?? 'Dated JSON documents, each with a free sample.';
}

/** Returns `8 of 26 rows are classed soft_fail`, or `3 signed events` if no share is claimed. */
export function captionOf(chart: Chart): string {
  const {n, total} = shareOf(chart);
  if (chart.claim === undefined) return numberWords(chart, total);
  return `${englishNumber(n)} of ${englishNumber(total)} ${chart.unit} ${shortened(chart.claim, MOST_CLAIM)}`;
}

/** Returns a number of a chart: `3`, or `3 rows` if no share is claimed. The unit of such a chart is the plural of a word. */
export function numberWords({unit, claim}: Chart, n: number): string {
  return claim === undefined ? englishCount(n, unit.replace(/s$/, '')) : englishNumber(n);
}

/** Returns a chart as text, for readers who cannot see it: `8 of 26 rows are classed dead. dead: 8, fine: 18.`. */
export function chartInWords(chart: Chart): string {
  const {parts} = chart;
  const shown = parts.slice(0, MOST_PARTS).map(({label, n}) => `${shortLabel(label)}: ${englishNumber(n)}`);
  const more = parts.length - shown.length;
  return `${captionOf(chart)}. ${[...shown, ...(more > 0 ? [`and ${englishNumber(more)} more`] : [])].join(', ')}.`;
}

/** Returns a figure for people: shares in percent, numbers with units, strings unchanged. Like a share, `%` follows without a space. */
export function figureWords(words: Words, name: string, value: unknown): string {
  if (isShare(name, value)) return percentWords(value);
  const amount = amountOf(words, name, value, value => plainWords(name, value));
  return unitOf(words, name) === '%' ? amount.replace(/ %$/, '%') : amount;
}

/** Sums of the same doubles in another order differ by less than this share of their value. */
const NOISE = 1e-12;

/** Returns the change of a figure: `+3`, or `−0.4 points` for a share. */
export function changeWords(name: string, before: number, after: number): string {
  const change = after - before;
  const isNoise = Math.abs(change) <= NOISE * Math.max(Math.abs(before), Math.abs(after));
  if (isNoise && !Number.isInteger(change)) return 'unchanged';
  if (isShare(name, before) && isShare(name, after)) return shareChangeWords(before, after);
  return minus(scientific(change, true) ?? englishNumber(change, {maxFraction: 6, plus: true}));
}

/** Returns the change of a figure, if its type is the same. A change of a text is without an amount: an exact decimal is a text. */
export function changeOf(name: string, before: unknown, after: unknown): string | undefined {
  if (typeof before !== typeof after) return undefined;
  if (before === after) return 'unchanged';
  return typeof before === 'number' && typeof after === 'number' ? changeWords(name, before, after) : 'changed';
}

function isShare(name: string, value: unknown): value is number {
  return typeof value === 'number' && /(^|_)ratio$/.test(name) && value >= 0 && value <= 1;
}

function plainWords(name: string, value: unknown): string {
  if (typeof value === 'number')
    // Only 0 is shown as 0.
    return isYear(name)
      ? String(value)
      : minus(scientific(value) ?? englishNumber(value, Math.abs(value) < 1 ? {maxSignificant: 3} : {}));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns `1.23e-7` for a number that JavaScript writes with an exponent, and undefined for others. */
function scientific(number: number, plus = false): string | undefined {
  if (!String(number).includes('e')) return undefined;
  return `${plus && number > 0 ? '+' : ''}${number.toExponential(2).replace(/\.?0+e/, 'e')}`;
}

function minus(number: string): string {
  return number.replace(/^-/, '−');
}

/** Returns what the price buys: `a request`, or for a pass `for this snapshot and the next 4`. */
export function paidFor({pass}: Pick<UnpagedRecord, 'pass'>): string {
  if (!pass) return 'a request';
  return `for this snapshot and the next ${pass.next === 1 ? 'one' : pass.next}`;
}

/** Returns `$0.02 a request, as of 2026-05-01T12:00:00.000Z`, and when the next snapshot is due. */
export function termsOf(product: Pick<UnpagedRecord, 'price' | 'pass' | 'published' | 'next_expected'>): string {
  const {price, published, next_expected} = product;
  const due = next_expected === undefined ? '' : `, the next expected ${next_expected}`;
  return `${price.text} ${paidFor(product)}, as of ${published.as_of}${due}`;
}

/** Returns the content of a part or format: `region Europe, 12 rows, 345 bytes`. */
export function editionContents({part, rows, bytes}: Edition): string {
  return [...(part ? [part.holds] : []), counted(rows, 'row'), `${bytes} bytes`].join(', ');
}

/** Returns the sources with their licences and origins: ` Source: Denied hosts (licence: ODbL-1.0; from: The registry).` */
export function sourcesInWords(freezes: UnpagedRecord['freezes']): string {
  const described = listedSources(freezes).filter(source => Object.keys(source).length > 1);
  return described
    .map(({name, title = name, description, licenses = [], sources = []}) => {
      const terms = [
        ...licenses.map(({name, title = name, path}) => `licence: ${title ?? path}`),
        ...sources.map(({title, path}) => `from: ${title ?? path}`),
      ];
      const about = [title, ...(description === undefined ? [] : [description.replace(/\.$/, '')])].join(', ');
      const details = terms.length > 0 ? ` (${terms.join('; ')})` : '';
      return ` Source: ${shortened(about, MOST_SOURCE)}${shortened(details, MOST_SOURCE)}.`;
    })
    .join('');
}

/** Returns how much is sold: `26 rows`. */
export function paidContentWords({type, sold, total, holds}: PaidContent): string {
  if (holds) return englishCount(holds.length, 'document');
  if (type === 'document') return '1 document';
  if (type === 'events') return englishCount(sold, 'event');
  return sold < total ? `${englishNumber(sold)} of ${englishCount(total, 'row')}` : englishCount(total, 'row');
}
