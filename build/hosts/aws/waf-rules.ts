import type {PricedRule} from './pricing.ts';
import {all, any, method, not, path, spelledPath, type Statement} from './statement.ts';

/** A rule before it has its place in the web ACL. What it does with a request that it matches ends the evaluation. */
export interface WafRule {
  readonly name: string;
  readonly action: object;
  readonly statement: Statement;
}

// Patterns stay flat, without repeats inside repeats and without capturing groups: AWS WAF refuses those.
const PLAIN_CHARACTERS = '^/[A-Za-z0-9._/-]*$';
const EMPTY_OR_DOT_SEGMENT = '//|/\\.(?:[./]|$)';
const HAS_EXTENSION = '\\.[a-z0-9]+$';

const belowApiWithoutExtension = [path.startsWith('/api/'), not(path.matches(HAS_EXTENSION))] as const;

/** The bodies of the guards' answers: problem details (RFC 9457), which AWS WAF sends as `application/json`. */
export const guardBodies = {
  'not-found': problem(404, 'Not Found', 'There is no document at this address.'),
  'get-only': problem(405, 'Method Not Allowed', 'Paid documents answer GET only.'),
};

function problem(status: number, title: string, detail: string): object {
  return {ContentType: 'APPLICATION_JSON', Content: JSON.stringify({type: 'about:blank', title, status, detail})};
}

function block(ResponseCode: number, CustomResponseBodyKey: keyof typeof guardBodies, more?: object): object {
  return {Block: {CustomResponse: {ResponseCode, CustomResponseBodyKey, ...more}}};
}

/**
 * Blocks before anything is priced: a path with any character that no document's path has (`%`, `\`, `;`, …), with
 * an empty segment or with a dot segment. CloudFront hands the path to S3 as it was spelled, and S3 decodes it,
 * so that an odd spelling of a paid path could reach the document past an exact match.
 */
export const oddSpelling: WafRule = {
  name: 'odd-spelling',
  action: block(404, 'not-found'),
  statement: any([not(spelledPath.matches(PLAIN_CHARACTERS)), spelledPath.matches(EMPTY_OR_DOT_SEGMENT)]),
};

/**
 * Blocks every method but GET where paid documents lie: the grant that lets CloudFront GET an object also answers
 * HEAD, with its length and `ETag`, and what `Monetize` does with another method is not documented.
 */
export const paidGetOnly: WafRule = {
  name: 'paid-get-only',
  action: block(405, 'get-only', {ResponseHeaders: [{Name: 'allow', Value: 'GET'}]}),
  statement: all(...belowApiWithoutExtension, not(method.is('GET'))),
};

/** Blocks, after the priced rules, what could be a paid document and is named by none: a forgotten rule never leaks. */
export const unpriced: WafRule = {
  name: 'unpriced',
  action: block(404, 'not-found'),
  statement: all(...belowApiWithoutExtension),
};

/** Characters of a pattern: the schema allows 512, the quota page 200. */
const MOST_PATTERN_CHARACTERS = 200;

/** AWS WAF refuses "a large number" of alternatives without naming it. */
const MOST_ALTERNATIVES = 20;

const monetize = (multiplier: number) => ({Monetize: {PriceMultiplier: String(multiplier)}});

/** One rule a path: the plainest to read and to watch. */
export function onePerPath(priced: readonly PricedRule[]): WafRule[] {
  return priced.map(({rule, multiplier}) => ({
    name: `pay-${rule.name}`,
    action: monetize(multiplier),
    statement: path.is(rule.path),
  }));
}

/** One rule a price: its paths share regular expressions, which takes far fewer capacity units a path. */
export function onePerPrice(priced: readonly PricedRule[]): WafRule[] {
  const multipliers = new Set(priced.map(({multiplier}) => multiplier));
  return [...multipliers].map(multiplier => {
    const names = priced.filter(one => one.multiplier === multiplier).map(({rule}) => rule.name);
    return {
      name: `pay-x${multiplier}`,
      action: monetize(multiplier),
      statement: any(patternsOf(names).map(path.matches)),
    };
  });
}

/** Fills patterns with as many names as they take. */
function patternsOf(names: readonly string[]): string[] {
  const groups: string[][] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last !== undefined && fits([...last, name])) last.push(name);
    else groups.push([name]);
  }
  return groups.map(patternOf);
}

function fits(names: readonly string[]): boolean {
  return names.length <= MOST_ALTERNATIVES && patternOf(names).length <= MOST_PATTERN_CHARACTERS;
}

const patternOf = (names: readonly string[]): string => `^/api/v1/(?:${names.join('|')})$`;
