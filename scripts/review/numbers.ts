const whole = new Intl.NumberFormat('en-US');
const short = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 6});
const signed = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 6, signDisplay: 'exceptZero'});
const percent = new Intl.NumberFormat('en-US', {style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero'});

/** Beyond this many digits a double's difference is noise of its binary form: 0.3 - 0.1 is 0.19999999999999998. */
const DIGITS = 12;

/** How far a number moved. */
export interface Move {
  readonly difference: number;
  /** `difference / |before|`; none where that was 0. */
  readonly relative: number | undefined;
}

export function moveOf(before: number, after: number): Move {
  const rounded = (number: number) => Number(number.toPrecision(DIGITS));
  const difference = after - before;
  return {
    difference: rounded(difference),
    relative: before === 0 ? undefined : rounded(difference / Math.abs(before)),
  };
}

/** `12,345`, `0.307692`: six digits, and all of them where six would hide the difference from the other number. */
export function shownNumber(number: number, other: unknown): string {
  const brief = (one: number) => (Number.isInteger(one) ? whole : short).format(one);
  const hides = typeof other === 'number' && other !== number && brief(other) === brief(number);
  return hides ? String(number) : brief(number);
}

/** `+3`, `-0.05`. */
export function shownDifference(difference: number): string {
  return signed.format(difference);
}

/** A change of a share, a number from 0 to 1: `+12.5 points`. */
export function shownPoints(difference: number): string {
  return `${signed.format(Number((difference * 100).toPrecision(4)))} points`;
}

/** `+37.5%`. */
export function shownRelative(relative: number): string {
  return percent.format(relative);
}
