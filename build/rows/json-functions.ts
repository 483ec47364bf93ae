import {randomUUID} from 'node:crypto';
import type {Fault} from '../../shared/fault.ts';
import {isNestedDeeper, MAX_NESTED} from '../read/limits.ts';

// Functions that DuckDB lacks: its own round JSON numbers to doubles and accept duplicate members.

/** Precedes the digits of a number that is stored as a string. Random, so that no text of a list can start with it. */
const MARK = `number-${randomUUID()}:`;
/** The marker in JSON, with the quotation mark before it. */
const WRITTEN_MARK = `"${MARK}`;
const MARKED_INSIDE = `([:,\\[])"${MARK}([-+.0-9eE]+)"`;

/** A JSON string or number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/gs;
/** A JSON string, with the following colon if it is the name of a member. */
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs;
/** A double represents every number of 15 digits and a short exponent exactly. This matches longer ones. */
const LONG_NUMBER = '[0-9][0-9.]{15}|[eE][+-]?[0-9]{3}';

/** Errors of an object or a list: the end of a sentence, and the remedy if that of the error code is not enough. */
export const NESTED_FAULTS: Readonly<Record<NestedFault, Pick<Fault, 'rule' | 'fix'>>> = {
  deep: {
    rule: `is nested deeper than ${MAX_NESTED} levels, the most that a value may have`,
    fix: 'Save it as text, or move its inner values to columns.',
  },
  json: {rule: 'contains text that is not JSON, such as NaN', fix: 'Write null in its place.'},
  twice: {rule: 'contains an object with a repeated member', fix: 'Remove one of the two.'},
  proto: {rule: 'contains a member called __proto__', fix: 'Rename the member.'},
  number: {rule: 'contains a number that a double cannot represent', fix: 'Save it as text, to keep all its digits.'},
};

type NestedFault = 'deep' | 'json' | 'twice' | 'proto' | 'number';

/** True if the number and its double have the same digits, ignoring zeros at both ends. */
function isExactInDouble(number: string): boolean {
  const double = Number(number);
  return Number.isFinite(double) && significantDigits(number) === significantDigits(String(double));
}

function significantDigits(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '');
}

/** Returns a JSON text in which numbers that a double cannot represent are marked strings, because DuckDB would round them. */
export function markNumbers(json: string): string {
  return json.replaceAll(TOKEN, token =>
    token.startsWith('"') || isExactInDouble(token) ? token : `${WRITTEN_MARK}${token}"`,
  );
}

/** Returns the error of the JSON text of a value, or undefined. */
export function nestedFault(json: string): NestedFault | undefined {
  if (isNestedDeeper(json, MAX_NESTED)) return 'deep';
  const written = rewritten(json);
  if (written === undefined) return 'json';
  // A quotation mark inside a string has a backslash before it.
  if (/[{,]"__proto__":/.test(written)) return 'proto';
  if (membersIn(written) < membersIn(json)) return 'twice';
  return markNumbers(json) === json ? undefined : 'number';
}

function membersIn(json: string): number {
  return [...json.matchAll(TEXT)].filter(([, colon]) => colon !== undefined).length;
}

/** Parses and writes a JSON text, which keeps only the last of duplicate members. */
function rewritten(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Returns SQL of a row's text in which numbers that a double cannot represent are marked. */
export function marked(json: string): string {
  return `CASE WHEN regexp_matches(${json}, '${LONG_NUMBER}') THEN mark_numbers(${json}) ELSE ${json} END`;
}

/** Returns SQL that is true of a marked number, given its JSON. */
export function isMarked(raw: string): string {
  return `starts_with(${raw}, '${WRITTEN_MARK}')`;
}

/** Returns SQL of the text of a value, given its JSON. Removes the marker from the value and from values inside it. */
export function textOfMarked(raw: string): string {
  const inside = `regexp_replace(${raw}, '${MARKED_INSIDE}', '\\1\\2', 'g')`;
  return `CASE WHEN ${isMarked(raw)} THEN substr(${raw} ->> '$', ${MARK.length + 1})
    WHEN (starts_with(${raw}, '{') OR starts_with(${raw}, '[')) AND contains(${raw}, '${WRITTEN_MARK}') THEN ${inside}
    ELSE ${raw} ->> '$' END`;
}
