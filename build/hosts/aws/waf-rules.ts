import type {Rule} from '../../../shared/shapes.ts';
import type {PricedRule} from './web-acl.ts';

/** A rule of AWS WAF in the spelling of CloudFormation, before it has its place. What it does with a request that it matches ends the evaluation. */
export interface WafRule {
  readonly Name: string;
  readonly Action: object;
  readonly Statement: object;
}

/** The path as the client spelled it, without the query. */
const SPELLED_PATH = {FieldToMatch: {UriPath: {}}, TextTransformations: [{Priority: 0, Type: 'NONE'}]};
/** The path as a server could understand it: percent-decoded once, then without `//`, `/./` and `/../`. */
const PATH = {
  FieldToMatch: {UriPath: {}},
  TextTransformations: [
    {Priority: 0, Type: 'URL_DECODE'},
    {Priority: 1, Type: 'NORMALIZE_PATH'},
  ],
};
const METHOD = {FieldToMatch: {Method: {}}, TextTransformations: [{Priority: 0, Type: 'NONE'}]};

// Patterns stay flat, without repeats inside repeats and without capturing groups: AWS WAF refuses those.
const hasPlainCharacters = {RegexMatchStatement: {...SPELLED_PATH, RegexString: '^/[A-Za-z0-9._/-]*$'}};
const hasEmptyOrDotSegment = {RegexMatchStatement: {...SPELLED_PATH, RegexString: '//|/\\.(?:[./]|$)'}};
const isBelowApi = {ByteMatchStatement: {...PATH, SearchString: '/api/', PositionalConstraint: 'STARTS_WITH'}};
const isMethod = (SearchString: string) => ({
  ByteMatchStatement: {...METHOD, SearchString, PositionalConstraint: 'EXACTLY'},
});

const not = (Statement: object) => ({NotStatement: {Statement}});

/** Without rows in other formats, what is free has an extension; with them, that of JSON. Stacks that are deployed stay as they are. */
function couldBePaid(rules: readonly Pick<Rule, 'path'>[]): readonly object[] {
  const free = rules.some(({path}) => path.includes('.')) ? '\\.json$' : '\\.[a-z0-9]+$';
  return [isBelowApi, not({RegexMatchStatement: {...PATH, RegexString: free}})];
}

const notAllowed = (CustomResponseBodyKey: string, allow: string) => ({
  Block: {
    CustomResponse: {
      ResponseCode: 405,
      CustomResponseBodyKey,
      ResponseHeaders: [
        {Name: 'allow', Value: allow},
        {Name: 'access-control-allow-origin', Value: '*'},
      ],
    },
  },
});
const notFound = {Block: {CustomResponse: {ResponseCode: 404, CustomResponseBodyKey: 'not-found'}}};

/**
 * Blocks before anything is priced: a path with any character that no document's path has (`%`, `\`, `;`, …), with
 * an empty segment or with a dot segment. CloudFront hands the path to S3 as it was spelled, and S3 decodes it,
 * so that an odd spelling of a paid path could reach the document past an exact match.
 */
export const oddSpelling: WafRule = {
  Name: 'odd-spelling',
  Action: notFound,
  Statement: {OrStatement: {Statements: [not(hasPlainCharacters), hasEmptyOrDotSegment]}},
};

/**
 * Blocks every method but GET where paid documents lie: the grant that lets CloudFront GET an object also answers
 * HEAD, with its length and `ETag`, and what `Monetize` does with another method is not documented.
 */
export const paidGetOnly = (rules: readonly Pick<Rule, 'path'>[]): WafRule => ({
  Name: 'paid-get-only',
  Action: notAllowed('paid-methods', 'GET'),
  Statement: {AndStatement: {Statements: [...couldBePaid(rules), not(isMethod('GET'))]}},
});

/** Blocks, after the priced rules, what could be a paid document and is named by none: a forgotten rule never leaks. */
export const unpriced = (rules: readonly Pick<Rule, 'path'>[]): WafRule => ({
  Name: 'unpriced',
  Action: notFound,
  Statement: {AndStatement: {Statements: couldBePaid(rules)}},
});

/** Blocks, last of all, what nobody may do with a free document: as every host answers it, with what may be done. */
export const freeGetAndHead: WafRule = {
  Name: 'free-get-and-head',
  Action: notAllowed('free-methods', 'GET, HEAD'),
  Statement: {AndStatement: {Statements: [not(isMethod('GET')), not(isMethod('HEAD'))]}},
};

const monetize = (multiplier: number) => ({Monetize: {PriceMultiplier: String(multiplier)}});

/** One rule a path: the plainest to read and to watch. */
export function onePerPath(priced: readonly PricedRule[]): WafRule[] {
  return priced.map(({rule: {path}, multiplier}) => ({
    // A rule's name holds no full stop, and no path an underscore.
    Name: `pay-${segmentOf(path).replaceAll('.', '_')}`,
    Action: monetize(multiplier),
    Statement: {ByteMatchStatement: {...PATH, SearchString: path, PositionalConstraint: 'EXACTLY'}},
  }));
}

/** One rule a price: its paths share regular expressions, which takes far fewer capacity units a path. */
export function onePerPrice(priced: readonly PricedRule[]): WafRule[] {
  const multipliers = new Set(priced.map(({multiplier}) => multiplier));
  return [...multipliers].map(multiplier => {
    const names = priced.filter(one => one.multiplier === multiplier).map(({rule}) => segmentOf(rule.path));
    const [first = {}, ...others] = patternsOf(names).map(RegexString => ({
      RegexMatchStatement: {...PATH, RegexString},
    }));
    // AWS WAF refuses an `OrStatement` of fewer than two.
    const Statement = others.length > 0 ? {OrStatement: {Statements: [first, ...others]}} : first;
    return {Name: `pay-x${multiplier}`, Action: monetize(multiplier), Statement};
  });
}

/** The last segment of a paid path. */
function segmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Characters of a pattern: the schema allows 512, the quota page 200. */
const MOST_PATTERN_CHARACTERS = 200;

/** AWS WAF refuses "a large number" of alternatives without naming it. */
const MOST_ALTERNATIVES = 20;

/** Fills patterns with as many names as they take. */
function patternsOf(names: readonly string[]): string[] {
  const pattern = (group: readonly string[]) => `^/api/v1/(?:${group.join('|').replaceAll('.', '\\.')})$`;
  const groups: string[][] = [];
  for (const name of names) {
    const last = [...(groups.at(-1) ?? []), name];
    const fits = last.length <= MOST_ALTERNATIVES && pattern(last).length <= MOST_PATTERN_CHARACTERS;
    if (fits) groups.splice(-1, 1, last);
    else groups.push([name]);
  }
  return groups.map(pattern);
}
