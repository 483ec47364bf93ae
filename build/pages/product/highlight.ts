import {englishCount} from '../../../shared/english.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import {shareOf} from '../../kinds/figures/counts.ts';
import {figureLabel} from '../../kinds/figures/labels.ts';
import type {Html} from '../html/layout.ts';
import {
  capitalised,
  captionOf,
  changeWords,
  figureWords,
  headlineOf,
  numberWords,
  shareChangeWords,
} from '../html/words.ts';
import {bar} from './shapes.ts';
import {trend} from './line.ts';

/** The figure that represents a product. */
export interface Highlight {
  readonly headline: string;
  /** A sentence or label that explains the headline. */
  readonly claim: string;
  readonly chart?: Html | undefined;
  /** The change since the previous snapshot, if there is one. */
  readonly change?: string | undefined;
}

/** Returns the share or the count of the product's chart. Without a chart, returns the first figure that is not the size of the list. */
export function highlightOf({name, title, published, history, words = {}, paidContent}: UnpagedRecord): Highlight {
  const {picture, figures} = published;
  if (picture) {
    const before = history.at(-2)?.picture;
    const isComparable = picture.claim !== undefined && before?.claim === picture.claim;
    return {
      headline: headlineOf(picture),
      claim: captionOf(picture),
      chart: picture.claim === undefined ? undefined : bar(picture, `${name}-chart`),
      change: isComparable ? shareChangeWords(shareOf(before).ratio, shareOf(picture).ratio) : undefined,
    };
  }
  const shown = Object.entries(figures).filter(([, value]) => typeof value !== 'object');
  // The size of the list represents a product only without other figures.
  const [figure, value] = shown.find(([name]) => name !== 'rows_n' && name !== 'total') ?? shown[0] ?? [];
  if (figure === undefined) return {headline: paidContentWords(paidContent), claim: title};
  const label = capitalised(figureLabel(words, figure));
  const numbers = history.flatMap(({as_of, figures: {[figure]: value}}) =>
    typeof value === 'number' ? [{as_of, value, words: figureWords(words, figure, value)}] : [],
  );
  const [before, now] = numbers.slice(-2);
  return {
    headline: figureWords(words, figure, value),
    claim: label,
    chart: trend(label, numbers),
    change: before && now && (before.value === now.value ? 'unchanged' : changeWords(figure, before.value, now.value)),
  };
}

/** Returns how much is sold: `26 rows`. */
export function paidContentWords({type, sold, total, holds}: UnpagedRecord['paidContent']): string {
  if (holds) return englishCount(holds.length, 'document');
  if (type === 'document') return '1 document';
  if (type === 'events') return englishCount(sold, 'event');
  return sold < total ? `${numberWords(sold)} of ${englishCount(total, 'row')}` : englishCount(total, 'row');
}
