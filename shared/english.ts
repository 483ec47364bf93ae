// Formats numbers, lists and dates for people. `Intl` is not used, because its locale data differs between versions of Node.

/** The format of a number. Ties are rounded away from zero. */
export interface NumberForm {
  /** Digits after the point, at least; 0 if not given. */
  readonly minFraction?: number;
  /** Digits after the point, at most; 3 if not given. */
  readonly maxFraction?: number;
  /** Significant digits, at most; replaces `maxFraction`. */
  readonly maxSignificant?: number;
  /** True to write a `+` before positive numbers. */
  readonly plus?: boolean;
}

/**
 * Returns a number with commas between thousands: `1,234.5`. Infinity is `∞`.
 * @param number a string is a decimal without an exponent, which is formatted digit by digit
 */
export function englishNumber(number: number | bigint | string, form: NumberForm = {}): string {
  return isInfinite(number) ? infinity(number, form) : formatted(decimalOf(number), form);
}

/** Returns a count with its noun: `1 row`, `1,234 rows`. */
export function englishCount(count: number, noun: string): string {
  return `${englishNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a ratio in percent: `30.8%` for 0.3077. */
export function englishPercent(ratio: number, form: NumberForm = {}): string {
  if (isInfinite(ratio)) return `${infinity(ratio, form)}%`;
  const decimal = decimalOf(ratio);
  return `${formatted({...decimal, scale: decimal.scale - 2}, form)}%`;
}

/** `a`, `a and b`, `a, b and c` */
export function englishList(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** Returns the text, or `(empty)` for an empty one. */
export function seenText(text: string): string {
  return text === '' ? '(empty)' : text;
}

/** Returns the text with a capital letter at its start. Names such as `isOpen` and `iOS` do not change. */
export function capitalised(text: string): string {
  return /^\p{Ll}+\p{Lu}/u.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a, b and 3 more`: the first items and the number of the others. Items with a comma are in quotation marks. */
export function firstOf(items: readonly unknown[], most = items.length): string {
  const more = items.length - most;
  const texts = items.slice(0, most).map(String);
  const shown = texts.map(text => (text.includes(',') ? `"${text}"` : seenText(text)));
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Returns the date in UTC: `1 May 2026`. */
export function englishDate(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The number is `digits` divided by 10 to the power of `scale`. */
interface Unsigned {
  readonly digits: bigint;
  readonly scale: number;
}

interface Decimal extends Unsigned {
  readonly isNegative: boolean;
}

function isInfinite(number: unknown): number is number {
  return number === Infinity || number === -Infinity;
}

function infinity(number: number, {plus = false}: NumberForm): string {
  return `${number < 0 ? '-' : plus ? '+' : ''}∞`;
}

/** The decimal in a string, or the shortest one that reads as the same double. Throws `RangeError` if it is not a number. */
function decimalOf(number: number | bigint | string): Decimal {
  const text = typeof number === 'number' ? number.toExponential() : String(number);
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new RangeError(`not a decimal: ${text}`);
  return {isNegative: sign === '-', digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent)};
}

function formatted(
  decimal: Decimal,
  {minFraction = 0, maxFraction = 3, maxSignificant, plus = false}: NumberForm,
): string {
  const length = decimal.digits === 0n ? 0 : String(decimal.digits).length;
  const {digits, scale} = rounded(
    decimal,
    maxSignificant === undefined ? maxFraction : maxSignificant - length + decimal.scale,
  );
  const text = String(digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = text
    .slice(text.length - scale)
    .replace(/0+$/, '')
    .padEnd(minFraction, '0');
  const sign = digits === 0n ? '' : decimal.isNegative ? '-' : plus ? '+' : '';
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

/**
 * Rounds to at most `most` digits after the point. If `most` is negative, digits before the point become zero. The scale of the result is
 * never negative.
 */
function rounded({digits, scale}: Unsigned, most: number): Unsigned {
  if (scale < 0) return rounded({digits: digits * 10n ** BigInt(-scale), scale: 0}, most);
  if (scale <= most) return {digits, scale};
  const unit = 10n ** BigInt(scale - most);
  const kept = (digits + unit / 2n) / unit;
  return most < 0 ? {digits: kept * 10n ** BigInt(-most), scale: 0} : {digits: kept, scale: most};
}
