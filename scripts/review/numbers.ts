import {englishNumber, englishPercent} from '../../shared/english.ts';

/** `+1,234,567`, `-0.05` */
export const signedWords = (change: number): string =>
  englishNumber(change, Number.isSafeInteger(change) ? {plus: true} : {maxSignificant: 6, plus: true});
/** `+37.5%` */
export const percentWords = (change: number): string => englishPercent(change, {maxFraction: 1, plus: true});

/** More digits of a difference would show errors of binary fractions: 0.3 - 0.1 is 0.19999999999999998. */
const DIGITS = 12;

/** Returns the change of a number; `relative` is undefined if it was 0. */
export function moveOf(before: number, after: number) {
  const rounded = (number: number) => (Number.isSafeInteger(number) ? number : Number(number.toPrecision(DIGITS)));
  const relative = before === 0 ? undefined : rounded((after - before) / Math.abs(before));
  return {difference: rounded(after - before), relative};
}

/**
 * Formats a number with six digits, such as `12,345` or `0.307692`, or with all digits if six hide the difference from the other number.
 */
export function shownNumber(number: number, other: unknown): string {
  const brief = (one: number) => englishNumber(one, Number.isInteger(one) ? {} : {maxSignificant: 6});
  const hides = typeof other === 'number' && other !== number && brief(other) === brief(number);
  return hides ? String(number) : brief(number);
}

/** Formats the change of a share, a number from 0 to 1: `+12.5 points`. */
export function shownPoints(difference: number): string {
  return `${signedWords(Number((difference * 100).toPrecision(4)))} points`;
}
