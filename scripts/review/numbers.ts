const exact = new Intl.NumberFormat('en-US', {maximumFractionDigits: 20});
const short = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 6});
const signed = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 6, signDisplay: 'exceptZero'});
const percent = new Intl.NumberFormat('en-US', {style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero'});

/** Beyond this many digits a double's difference is noise of its binary form: 0.3 - 0.1 is 0.19999999999999998. */
const DIGITS = 12;

/** Two numbers for a person: six digits, and all of them where six would hide the difference. */
export function shownNumbers(before: number, after: number): [string, string] {
  const brief: [string, string] = [shownNumber(before), shownNumber(after)];
  return before !== after && brief[0] === brief[1] ? [String(before), String(after)] : brief;
}

/** `12,345`, `0.307692`. */
export function shownNumber(number: number): string {
  return Number.isInteger(number) ? exact.format(number) : short.format(number);
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

export function differenceOf(before: number, after: number): number {
  return Number((after - before).toPrecision(DIGITS));
}

/** Change relative to what it was; none where that was 0. */
export function relativeOf(before: number, after: number): number | undefined {
  return before === 0 ? undefined : Number(((after - before) / Math.abs(before)).toPrecision(DIGITS));
}
