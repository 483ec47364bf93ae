import {capitalised} from '../../shared/english.ts';
import type {Format} from '../read/data-package.ts';
import type {Field} from '../read/table-schema.ts';
import {COLUMNS, literal} from './sql.ts';
import type {Check} from './rules.ts';

const EXPONENT = '([eE][+-]?[0-9]+)?';
/** The numbers of JSON (RFC 8259, section 6). */
export const NUMBER = `-?(0|[1-9][0-9]*)([.][0-9]+)?${EXPONENT}`;
export const INTEGER = '-?(0|[1-9][0-9]*)';
const LEADING_ZEROS = `[+-]?0[0-9]+([.][0-9]*)?${EXPONENT}`;
const PLUS = `[+][0-9]+([.][0-9]*)?${EXPONENT}`;
const BARE_POINT = `[+-]?([0-9]+[.]|[.][0-9]+)${EXPONENT}`;
const NEGATIVE_ZERO = `-0([.]0+)?${EXPONENT}`;
/** `12E4` is likely an identifier: programs print a point, or a sign in the exponent. */
const UPPER_CASE_ID = '[0-9]+E[0-9]+';

/** CSV text that reads as a number but has characters that the number loses, such as `007` and `+5`. */
export const LOSSY = [LEADING_ZEROS, PLUS, BARE_POINT, NEGATIVE_ZERO, UPPER_CASE_ID].join('|');
/** Numbers with decimal commas, or with separators between thousands: `1,5`, `1,234.5` and `1.234,5`. */
const COMMAS = '[+-]?[0-9][0-9.]*,[0-9.,]*[0-9]';

/** Text that makes a new CSV column a string column. In a declared column `12e4` is a number. */
export const LOSSY_OR_ID = `${LOSSY}|[0-9]+e[0-9]+|${COMMAS}`;

/** Returns SQL that is true if a double represents the number in a text exactly, with the same digits. */
export function isHeldByDouble(text: string): string {
  const digits = (number: string) => `trim(translate(split_part(lower(${number}), 'e', 1), '+-.', ''), '0')`;
  const double = `CAST(TRY_CAST(${text} AS DOUBLE) AS VARCHAR)`;
  return `(CASE WHEN length(${text}) < 16 AND NOT contains(lower(${text}), 'e') THEN true
    ELSE coalesce(${digits(text)} = ${digits(double)}, false) END)`;
}

/** A placeholder for the value in a remedy. */
export const VALUE = '\u0000value';

export interface Reason {
  /** An SQL predicate that is true for the values with this error. If several match, only the first one is reported. */
  readonly when: string;
  /** Completes "<field> <value> …". */
  readonly rule: string;
  /** The remedy, if that of the error code is not enough. It may contain `VALUE`. */
  readonly fix?: string;
}

/** Words that programs and people write for a missing value: those of R, pandas, SQL, spreadsheets and statistical offices. */
export const MISSING =
  '(?i)[#<]?n[/.]?a[.>!]?|[#<(\\[]?(null|none|nil|nan|nat|empty|missing|unknown)[>)\\]!]?|\\\\n|n[.]?d[.]?|tb[ad]|not (available|applicable)|[-–—?.…*:]+|#(ref|value|div/0)!';

interface CheckedColumn {
  readonly field: Field;
  readonly format: Format;
  readonly isRequired: boolean;
  readonly isInKey: boolean;
}

/** Returns how to make a column a string column, which allows every value. */
function textRemedy(format: Format): string {
  return format === 'csv'
    ? 'make the column text with frozen freeze … --new-schema'
    : 'save all values of the column as text, and freeze with --new-schema';
}

/**
 * Returns the reasons why a text is not a number, in order. The last one applies to every other text.
 *
 * @param text SQL of the text
 * @param isOtherKind SQL that is true if a value of JSON is not a JSON number
 * @param rule the message for a number that does not fit a decimal with a scale
 */
export function numberReasons(column: CheckedColumn, text: string, isOtherKind: string, rule: string): Reason[] {
  const {field, format} = column;
  const matches = (pattern: string) => `regexp_full_match(${text}, '${pattern}')`;
  const is = (pattern: string, rule: string, fix: string): Reason => ({when: matches(pattern), rule, fix});
  const isInteger = field.type === 'integer';
  const name = isInteger ? 'an integer' : 'a number';
  const isCsv = format === 'csv';
  const asText = `To keep it, ${textRemedy(format)}.`;
  const orText = `or ${textRemedy(format)}.`;
  const exactly = isCsv
    ? 'Make the column a column of exact decimals or of text with frozen freeze … --new-schema.'
    : asText;
  const ofNumbers =
    'Write all digits and no point, or make the column a column of numbers with frozen freeze … --new-schema.';
  const ofType = [
    ...(isInteger
      ? [
          is(INTEGER, 'is not an integer within ±(2^53 - 1)', asText),
          {
            when: `${matches(NUMBER)} AND ${isHeldByDouble(text)}`,
            rule: 'is not written as an integer',
            fix: ofNumbers,
          },
        ]
      : []),
    is(NUMBER, 'has more digits or a larger exponent than a double represents', exactly),
  ];
  return [
    {
      when: `${isOtherKind} AND ${matches(NUMBER)}`,
      rule: `is a text, not ${name}`,
      fix: `Remove its quotation marks, ${orText}`,
    },
    is('\\s+', 'is only white space', isCsv ? 'Leave the value empty.' : 'Write null.'),
    is('(?s)\\s.*|.*\\s', 'has white space around it', 'Remove it.'),
    ...(isCsv
      ? [
          is(LEADING_ZEROS, 'has leading zeros, which a number would lose', asText),
          is(LOSSY, 'has characters that a number would lose', `Write it as JSON does, such as 7 or 0.5. ${asText}`),
        ]
      : []),
    is(
      '(?i)[+-]?(nan|inf|infinity)',
      'is not a finite number',
      capitalised(`${missingRemedies(column, isCsv)}${orText}`),
    ),
    ...(field.scale === undefined ? ofType : [{when: matches(NUMBER), rule}]),
    ...missingReasons(column, text, name),
    {when: 'true', rule: `is not ${name}`, fix: `Correct it, ${orText}`},
  ];
}

/** Returns the reasons why a value of JSON is not a text, with the remedy for a column of texts and other values. */
export function textReasons(text: string): Reason[] {
  const fix =
    'Write all values of the column as texts (docs/lists.md has a command), or freeze with --new-schema if none is a text.';
  return [
    {when: `regexp_full_match(${text}, '${NUMBER}')`, rule: 'is a number, not a text', fix},
    {when: 'true', rule: 'is not a text', fix},
  ];
}

/** The remedies for an empty text in an optional column. */
const ADD_EMPTY = `freeze the list with --missing ${VALUE}, add "" to "missingValues" in \`datapackage.json\` if the freeze is not published, `;

/** Returns the reasons for texts that are not values of a type (as in "is not an integer"), but look like missing values. */
export function missingReasons(column: CheckedColumn, text: string, type: string): Reason[] {
  const orText = `or ${textRemedy(column.format)}.`;
  return [
    {
      when: `${text} = ''`,
      rule: `is not ${type}, and "missingValues" does not contain it`,
      fix: capitalised(`${column.isRequired || column.isInKey ? missingRemedies(column, true) : ADD_EMPTY}${orText}`),
    },
    {
      when: `regexp_full_match(${text}, ${literal(MISSING)})`,
      rule: `is not ${type} but looks like a missing value`,
      fix: capitalised(`${missingRemedies(column, true)}${orText}`),
    },
  ];
}

/** The remedies for a missing value, each with a comma after it. A key needs a value; a required column needs another schema. */
function missingRemedies({format, isRequired, isInKey}: CheckedColumn, isMarker: boolean): string {
  if (isInKey) return 'write a value, ';
  const empty = format === 'csv' ? 'leave the value empty' : 'write null';
  if (isRequired)
    return isMarker
      ? `freeze the list with --missing ${VALUE} --new-schema, `
      : `${empty} and freeze with --new-schema, `;
  return isMarker ? `freeze the list with --missing ${VALUE}, ${empty}, ` : `${empty}, `;
}

/**
 * Returns the check that no two texts in a CSV column of numbers are the same number, such as the versions `1.10` and `1.1`, because
 * documents would have one value for both.
 */
export function equalNumbersCheck({name}: Field, index: number): Check {
  const [text, value] = [COLUMNS.text(index), COLUMNS.value(index)];
  const decimals = `length(split_part(${text}, '.', 2))`;
  const mayBeEqual = `coalesce(bool_or(contains(lower(${text}), 'e')) OR (min(${decimals}) <> max(${decimals}) AND (
    bool_or(${decimals} > 1 AND ends_with(${text}, '0')) OR (min(${decimals}) = 0 AND bool_or(ends_with(${text}, '.0'))))), false)`;
  const measure = {sql: mayBeEqual, decode: (json: unknown) => json === true};
  return {
    code: 'FZ101',
    field: name,
    rule: 'is the same number as one above, written in another way, and both would become one value',
    fix: 'Write both in the same way, or make the column text with frozen freeze … --new-schema.',
    measures: [measure],
    holds: read => !read(measure),
    isUncertain: true,
    breaches: numbered => `SELECT n, ${text} AS shown, first FROM (${numbered}) JOIN (
      SELECT ${value}, min(n) AS first, arg_min(${text}, n) AS text FROM (${numbered})
      GROUP BY ALL HAVING min(${text}) <> max(${text})) USING (${value}) WHERE ${text} <> text`,
  };
}
