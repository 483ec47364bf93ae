import type {WafRule} from './rule.ts';
import {all, any, methodIs, not, pathMatches, pathStartsWith, spelledPathMatches} from './statement.ts';

// Patterns stay flat, without repeats inside repeats and without capturing groups: AWS WAF refuses those.
const PLAIN_CHARACTERS = '^/[A-Za-z0-9._/-]*$';
const EMPTY_OR_DOT_SEGMENT = '//|/\\.(?:[./]|$)';
const HAS_EXTENSION = '\\.[a-z0-9]+$';

const belowApiWithoutExtension = [pathStartsWith('/api/'), not(pathMatches(HAS_EXTENSION))] as const;

const notFound = {Block: {CustomResponse: {ResponseCode: 404, CustomResponseBodyKey: 'not-found'}}};

/** The bodies of the guards' answers: problem details (RFC 9457), which AWS WAF sends as `application/json`. */
export const guardBodies = {
  'not-found': problem(404, 'Not Found', 'There is no document at this address.'),
  'get-only': problem(405, 'Method Not Allowed', 'Paid documents answer GET only.'),
};

function problem(status: number, title: string, detail: string): object {
  return {ContentType: 'APPLICATION_JSON', Content: JSON.stringify({type: 'about:blank', title, status, detail})};
}

/**
 * Blocks before anything is priced: a path with any character that no document's path has (`%`, `\`, `;`, …), with
 * an empty segment or with a dot segment. CloudFront hands the path to S3 as it was spelled, and S3 decodes it,
 * so that an odd spelling of a paid path could reach the document past an exact match.
 */
export const oddSpelling: WafRule = {
  name: 'odd-spelling',
  action: notFound,
  statement: any([not(spelledPathMatches(PLAIN_CHARACTERS)), spelledPathMatches(EMPTY_OR_DOT_SEGMENT)]),
};

/**
 * Blocks every method but GET where paid documents lie: the grant that lets CloudFront GET an object also answers
 * HEAD, with its length and `ETag`, and what `Monetize` does with another method is not documented.
 */
export const paidGetOnly: WafRule = {
  name: 'paid-get-only',
  action: {
    Block: {
      CustomResponse: {
        ResponseCode: 405,
        CustomResponseBodyKey: 'get-only',
        ResponseHeaders: [{Name: 'allow', Value: 'GET'}],
      },
    },
  },
  statement: all(...belowApiWithoutExtension, not(methodIs('GET'))),
};

/** Blocks, after the priced rules, what could be a paid document and is named by none: a forgotten rule never leaks. */
export const unpriced: WafRule = {
  name: 'unpriced',
  action: notFound,
  statement: all(...belowApiWithoutExtension),
};
