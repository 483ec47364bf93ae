/**
 * On every answer: a browser wallet of another origin can read it, and no browser guesses its type. They are part of
 * each answer from the start, since adding them afterwards would halve the rate of the commonest one, the 402.
 */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, Link, ETag',
  'X-Content-Type-Options': 'nosniff',
};
