import type {PricedRule} from '../aws.ts';

/** A rule of AWS WAF in CloudFormation syntax, before it has a priority. Its action on a matching request ends the evaluation. */
export interface WafRule {
  readonly Name: string;
  readonly Action: object;
  readonly Statement: object;
}

/** The path as sent by the client, without the query. */
const SPELLED_PATH = {FieldToMatch: {UriPath: {}}, TextTransformations: [{Priority: 0, Type: 'NONE'}]};
/** The path as a server may interpret it: percent-decoded once, then without `//`, `/./` and `/../`. */
const PATH = {
  FieldToMatch: {UriPath: {}},
  TextTransformations: [
    {Priority: 0, Type: 'URL_DECODE'},
    {Priority: 1, Type: 'NORMALIZE_PATH'},
  ],
};
const METHOD = {FieldToMatch: {Method: {}}, TextTransformations: [{Priority: 0, Type: 'NONE'}]};

// AWS WAF refuses patterns with nested repeats or capturing groups.
const hasPlainCharacters = {RegexMatchStatement: {...SPELLED_PATH, RegexString: '^/[A-Za-z0-9._/-]*$'}};
const hasEmptyOrDotSegment = {RegexMatchStatement: {...SPELLED_PATH, RegexString: '//|/\\.(?:[./]|$)'}};
const isBelowApi = {ByteMatchStatement: {...PATH, SearchString: '/api/', PositionalConstraint: 'STARTS_WITH'}};
const isMethod = (SearchString: string) => ({
  ByteMatchStatement: {...METHOD, SearchString, PositionalConstraint: 'EXACTLY'},
});

const not = (Statement: object) => ({NotStatement: {Statement}});

/**
 * Matches the paths that a paid document can have in any build, because the bucket can contain documents of another build than the rules.
 * Free documents end in `.json`, the signature in `.json.jws`.
 */
const couldBePaid = [isBelowApi, not({RegexMatchStatement: {...PATH, RegexString: '\\.json(?:\\.jws)?$'}})];

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
 * Blocks unusual spellings of paths, before any priced rule: a character that no document's path has (`%`, `\`, `;`, …), an empty segment
 * or a dot segment. CloudFront passes the path to S3 unchanged and S3 decodes it, so another spelling of a paid path could bypass an exact
 * match.
 */
export const oddSpelling: WafRule = {
  Name: 'odd-spelling',
  Action: notFound,
  Statement: {OrStatement: {Statements: [not(hasPlainCharacters), hasEmptyOrDotSegment]}},
};

/**
 * Blocks every method except GET on paths of paid documents. CloudFront's permission to GET an object also answers HEAD, with length and
 * `ETag`, and the effect of `Monetize` on other methods is not documented.
 */
export const paidGetOnly: WafRule = {
  Name: 'paid-get-only',
  Action: notAllowed('paid-methods', 'GET'),
  Statement: {AndStatement: {Statements: [...couldBePaid, not(isMethod('GET'))]}},
};

/** After the priced rules, blocks every path that a paid document could have, so that a missing rule never exposes a document. */
export const unpriced: WafRule = {
  Name: 'unpriced',
  Action: notFound,
  Statement: {AndStatement: {Statements: couldBePaid}},
};

/** The last rule: blocks other methods than GET and HEAD on free documents, and lists the allowed ones as every host does. */
export const freeGetAndHead: WafRule = {
  Name: 'free-get-and-head',
  Action: notAllowed('free-methods', 'GET, HEAD'),
  Statement: {AndStatement: {Statements: [not(isMethod('GET')), not(isMethod('HEAD'))]}},
};

const monetize = (multiplier: number) => ({Monetize: {PriceMultiplier: String(multiplier)}});

/** One rule per path, which is the easiest to read and to monitor. */
export function onePerPath(priced: readonly PricedRule[]): WafRule[] {
  return priced.map(({rule: {path}, multiplier}) => ({
    // A rule's name cannot contain a full stop, and paths never contain an underscore.
    Name: `pay-${segmentOf(path).replaceAll('.', '_')}`,
    Action: monetize(multiplier),
    Statement: {ByteMatchStatement: {...PATH, SearchString: path, PositionalConstraint: 'EXACTLY'}},
  }));
}

/** One rule per price. Its paths share regular expressions, which need far fewer capacity units per path. */
export function onePerPrice(priced: readonly PricedRule[]): WafRule[] {
  const multipliers = new Set(priced.map(({multiplier}) => multiplier));
  return [...multipliers].map(multiplier => {
    const names = priced.filter(one => one.multiplier === multiplier).map(({rule}) => segmentOf(rule.path));
    const [first = {}, ...others] = patternsOf(names).map(RegexString => ({
      RegexMatchStatement: {...PATH, RegexString},
    }));
    // AWS WAF refuses an `OrStatement` with fewer than two statements.
    const Statement = others.length > 0 ? {OrStatement: {Statements: [first, ...others]}} : first;
    return {Name: `pay-x${multiplier}`, Action: monetize(multiplier), Statement};
  });
}

function segmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The most characters of a pattern. The schema allows 512, the quota page 200. */
const MOST_PATTERN_CHARACTERS = 200;

/** AWS WAF refuses "a large number" of alternatives without a documented limit. */
const MOST_ALTERNATIVES = 20;

/** Distributes the names over as few patterns as the limits allow, in their order. */
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
