/**
 * Headers of every answer: a browser wallet of another origin can read it, and browsers do not guess its type. They are set when an answer
 * is created, because adding them later would halve the rate of 402 answers.
 */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, Link, ETag',
  'X-Content-Type-Options': 'nosniff',
};
