import {sum} from '../../kinds/figures/counts.ts';
import type {Statement, Transformation} from './statement.ts';

/** Capacity units that the price of a web ACL includes; each 500 more cost extra. */
export const INCLUDED_UNITS = 1500;

/** Capacity units no web ACL may exceed. */
export const MOST_UNITS = 5000;

const UNITS_OF_BYTE_MATCH = 2;
const UNITS_OF_REGEX = 3;
const UNITS_OF_TRANSFORMATION = 10;

/**
 * Web ACL capacity units (WCU) of a statement, as the AWS WAF Developer Guide prices them: comparing the whole
 * field or its start 2, a regular expression 3, each transformation 10. Logical statements cost what they hold.
 */
export function unitsOf(statement: Statement): number {
  if ('ByteMatchStatement' in statement) {
    return UNITS_OF_BYTE_MATCH + unitsOfTransformations(statement.ByteMatchStatement.TextTransformations);
  }
  if ('RegexMatchStatement' in statement) {
    return UNITS_OF_REGEX + unitsOfTransformations(statement.RegexMatchStatement.TextTransformations);
  }
  if ('NotStatement' in statement) return unitsOf(statement.NotStatement.Statement);
  const {Statements} = 'AndStatement' in statement ? statement.AndStatement : statement.OrStatement;
  return sum(Statements.map(unitsOf));
}

// `NONE` changes nothing and is taken to cost nothing; the guide does not say.
function unitsOfTransformations(transformations: readonly Transformation[]): number {
  return sum(transformations.map(({Type}) => (Type === 'NONE' ? 0 : UNITS_OF_TRANSFORMATION)));
}
