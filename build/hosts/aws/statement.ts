import {sum} from '../../kinds/figures/counts.ts';

/** A statement of AWS WAF in the spelling of CloudFormation, and what it takes of a web ACL's capacity. */
export interface Statement {
  readonly json: object;
  /** Web ACL capacity units (WCU), as the AWS WAF Developer Guide prices them. */
  readonly units: number;
}

/** A part of a request and how it is rewritten before it is compared. */
function field(name: 'UriPath' | 'Method', ...rewritings: ('NONE' | 'URL_DECODE' | 'NORMALIZE_PATH')[]) {
  const TextTransformations = rewritings.map((Type, Priority) => ({Priority, Type}));
  // `NONE` changes nothing and is taken to cost nothing; the guide does not say.
  const rewriting = 10 * rewritings.filter(one => one !== 'NONE').length;
  const asks = (statement: string, units: number, how: object): Statement => ({
    json: {[statement]: {FieldToMatch: {[name]: {}}, TextTransformations, ...how}},
    units: units + rewriting,
  });
  const compares = (SearchString: string, PositionalConstraint: 'EXACTLY' | 'STARTS_WITH') =>
    asks('ByteMatchStatement', 2, {SearchString, PositionalConstraint});
  return {
    is: (text: string) => compares(text, 'EXACTLY'),
    startsWith: (text: string) => compares(text, 'STARTS_WITH'),
    matches: (pattern: string) => asks('RegexMatchStatement', 3, {RegexString: pattern}),
  };
}

/** The path as the client spelled it, without the query. */
export const spelledPath = field('UriPath', 'NONE');
/** The path as a server could understand it: percent-decoded once, then without `//`, `/./` and `/../`. */
export const path = field('UriPath', 'URL_DECODE', 'NORMALIZE_PATH');
export const method = field('Method', 'NONE');

export const not = ({json, units}: Statement): Statement => ({json: {NotStatement: {Statement: json}}, units});

export const all = (...statements: readonly Statement[]): Statement => joined('AndStatement', statements);

/** One of the statements is true. AWS WAF refuses an `OrStatement` of fewer than two. */
export function any(statements: readonly Statement[]): Statement {
  const [first, ...others] = statements;
  return first !== undefined && others.length === 0 ? first : joined('OrStatement', statements);
}

function joined(name: 'AndStatement' | 'OrStatement', statements: readonly Statement[]): Statement {
  const json = {[name]: {Statements: statements.map(statement => statement.json)}};
  return {json, units: sum(statements.map(({units}) => units))};
}
