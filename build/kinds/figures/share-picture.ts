import {ratioOf} from './counts.ts';
import {labelOf, unitOf, type Words} from './labels.ts';
import type {Picture} from './picture.ts';

/**
 * The first share among figures as a picture: `<x>_ratio` is exactly `<x>_n` of a whole, which is called `rows_n` or `total`, or else is
 * the first figure with a unit. None where no figures are called so, or they say otherwise.
 */
export function sharePicture(figures: Readonly<Record<string, unknown>>, words: Words): Picture | undefined {
  const names = Object.keys(figures);
  const called = ['rows_n', 'total', names.find(name => ![undefined, '%'].includes(unitOf(words, name)))];
  const whole = called.find(name => name !== undefined && isCount(figures[name]));
  const stem = names
    .flatMap(name => /^(.+)_ratio$/.exec(name)?.[1] ?? [])
    .find(stem => isShare(figures[`${stem}_n`], figures[whole ?? ''], figures[`${stem}_ratio`]));
  if (whole === undefined || stem === undefined) return undefined;
  const [count, share] = [`${stem}_n`, `${stem}_ratio`];
  const [n, total] = [Number(figures[count]), Number(figures[whole])];
  const label = labelOf(words, share) ?? labelOf(words, count) ?? stem.replaceAll('_', ' ');
  return {
    shape: 'bar',
    unit: unitOf(words, whole) ?? (whole === 'rows_n' ? 'rows' : 'in all'),
    claim: `are ${label}`,
    parts: [
      {label, n, claimed: true},
      {label: `not ${label}`, n: total - n, claimed: false},
    ],
    draws: [whole, count, share],
  };
}

function isShare(n: unknown, whole: unknown, ratio: unknown): boolean {
  return isCount(n) && isCount(whole) && n <= whole && ratioOf(n, whole) === ratio;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
