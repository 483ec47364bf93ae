/** What a statement looks at. */
export type Field = {readonly UriPath: Record<string, never>} | {readonly Method: Record<string, never>};

/** Rewritings of the field before it is compared, lowest priority first. */
export interface Transformation {
  readonly Priority: number;
  readonly Type: 'NONE' | 'URL_DECODE' | 'NORMALIZE_PATH';
}

interface Inspection {
  readonly FieldToMatch: Field;
  readonly TextTransformations: readonly Transformation[];
}

/** The statements of AWS WAF that this template uses, in the spelling of CloudFormation. */
export type Statement =
  | {
      readonly ByteMatchStatement: Inspection & {
        readonly SearchString: string;
        readonly PositionalConstraint: 'EXACTLY' | 'STARTS_WITH';
      };
    }
  | {readonly RegexMatchStatement: Inspection & {readonly RegexString: string}}
  | {readonly NotStatement: {readonly Statement: Statement}}
  | {readonly AndStatement: {readonly Statements: readonly Statement[]}}
  | {readonly OrStatement: {readonly Statements: readonly Statement[]}};

/** The path as the client spelled it, without the query. */
const spelledPath: Inspection = {
  FieldToMatch: {UriPath: {}},
  TextTransformations: [{Priority: 0, Type: 'NONE'}],
};

/** The path as a server could understand it: percent-decoded once, then without `//`, `/./` and `/../`. */
const meantPath: Inspection = {
  FieldToMatch: {UriPath: {}},
  TextTransformations: [
    {Priority: 0, Type: 'URL_DECODE'},
    {Priority: 1, Type: 'NORMALIZE_PATH'},
  ],
};

const method: Inspection = {FieldToMatch: {Method: {}}, TextTransformations: [{Priority: 0, Type: 'NONE'}]};

export const pathIs = (path: string): Statement => ({
  ByteMatchStatement: {...meantPath, SearchString: path, PositionalConstraint: 'EXACTLY'},
});

export const pathStartsWith = (prefix: string): Statement => ({
  ByteMatchStatement: {...meantPath, SearchString: prefix, PositionalConstraint: 'STARTS_WITH'},
});

export const pathMatches = (pattern: string): Statement => ({
  RegexMatchStatement: {...meantPath, RegexString: pattern},
});

export const spelledPathMatches = (pattern: string): Statement => ({
  RegexMatchStatement: {...spelledPath, RegexString: pattern},
});

export const methodIs = (name: string): Statement => ({
  ByteMatchStatement: {...method, SearchString: name, PositionalConstraint: 'EXACTLY'},
});

export const not = (statement: Statement): Statement => ({NotStatement: {Statement: statement}});

export const all = (...statements: readonly Statement[]): Statement => ({AndStatement: {Statements: statements}});

/** One of the statements is true. AWS WAF refuses an `OrStatement` of fewer than two. */
export function any(statements: readonly Statement[]): Statement {
  const [first, ...others] = statements;
  if (first !== undefined && others.length === 0) return first;
  return {OrStatement: {Statements: statements}};
}
