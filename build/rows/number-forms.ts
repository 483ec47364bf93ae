/** The numbers of JSON (RFC 8259). Other texts of a number, such as `007` and `+5`, have characters that the number loses. */
export const NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?';
export const INTEGER = '-?(0|[1-9][0-9]*)';
/** `12E4` is an identifier: programs print a number with a point in it or a sign in its exponent. */
export const ID_WITH_E = '[0-9]+[eE][0-9]+';
/** A zero whose sign a JSON number of ECMAScript loses. */
export const NEGATIVE_ZERO = '-0([.]0*)?([eE].*)?';

/** A reason why a text is not a value of its column. */
export interface Reason {
  /** Predicate; reasons are tried in order. */
  readonly when: string;
  /** Completes "<field> <value> …". */
  readonly rule: string;
}

const AS_TEXT = 'declare the column as string (frozen freeze --new-schema infers it)';
const MISSING = '(?i)(#?n/?a|null|none|nil|missing|unknown|n\\.a\\.|-+|\\?|\\.)';
const OUT_OF_RANGE =
  'is not an integer within ±(2^53 - 1); save it as text, in a column declared as string, to carry it exactly';

/**
 * The reasons why a text is not a number, the last one for every other text.
 *
 * @param text SQL of the text
 * @param isOtherKind SQL that is true if the value is not a number of JSON
 */
export function numberReasons(type: 'integer' | 'number' | 'decimal', text: string, isOtherKind: string): Reason[] {
  const is = (pattern: string, rule: string): Reason => ({
    when: `regexp_full_match(${text}, '${pattern}')`,
    rule,
  });
  const name = type === 'integer' ? 'an integer' : 'a number';
  const kind = type === 'decimal' ? [] : [{when: `${isOtherKind} AND regexp_full_match(${text}, '${NUMBER}')`}];
  return [
    ...kind.map(({when}) => ({
      when,
      rule: `is a text, not ${name}: remove its quotation marks, or declare the column as string`,
    })),
    is('\\s+', 'is white space: leave the value empty'),
    is('(?s)\\s.*|.*\\s', 'has white space around it: remove it'),
    is('[+-]?0[0-9]+([.][0-9]*)?([eE].*)?', `has leading zeros, which a number loses: ${AS_TEXT}`),
    is('[+][0-9].*', `has a plus sign, which a number loses: remove it, or ${AS_TEXT}`),
    is(NEGATIVE_ZERO, `is a negative zero, whose sign a number loses: write 0, or ${AS_TEXT}`),
    is(
      '(?i)[+-]?(nan|inf|infinity)',
      'is not a finite number: leave the value empty, or add it to missingValues (frozen freeze --missing)',
    ),
    is(MISSING, 'is not a value: leave it empty, or add it to missingValues (frozen freeze --missing)'),
    is('(?i)[+-]?0[xob][0-9a-f]+', `is not in decimal notation: convert it, or ${AS_TEXT}`),
    is(
      '[+-]?[0-9]+([_ ,\\x{a0}\\x{202f}][0-9]+)+([.][0-9]+)?',
      'has separators other than a decimal point: write only digits and the point',
    ),
    is('[+-]?([0-9]+[.]|[.][0-9]+)([eE].*)?', `needs a digit before and after its point: add it, or ${AS_TEXT}`),
    ...(type === 'integer' ? integerReasons(is) : fractionReasons(is, type)),
    {when: 'true', rule: `is not ${name}: correct it, or ${AS_TEXT}`},
  ];
}

function integerReasons(is: (pattern: string, rule: string) => Reason): Reason[] {
  return [
    is(INTEGER, OUT_OF_RANGE),
    is(
      '-?[0-9]+[.][0-9]+',
      'has a point, which an integer has not: remove it with the zeros after it, or declare the column as number',
    ),
    is(NUMBER, `has an exponent, which an integer has not: write all digits, or ${AS_TEXT}`),
  ];
}

function fractionReasons(is: (pattern: string, rule: string) => Reason, type: 'number' | 'decimal'): Reason[] {
  if (type === 'decimal') return [];
  return [
    {...is(ID_WITH_E, ''), rule: `may be an identifier: write the number without an exponent, or ${AS_TEXT}`},
    is(
      NUMBER,
      `is a number that a double does not hold: --new-schema makes the column exact or text; in JSON, save it as text`,
    ),
  ];
}
