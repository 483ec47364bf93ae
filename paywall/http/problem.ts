import {commonHeaders} from './common-headers.ts';

/** An error response as problem details (RFC 9457). */
export interface Problem {
  readonly status: 400 | 404 | 405 | 409 | 410 | 412 | 421 | 500 | 503;
  readonly title: string;
  readonly detail: string;
  /** True if the same request will fail again, so the response omits Retry-After. */
  readonly isLasting?: boolean;
}

/** The seconds after which a client should retry a 503 or a 409. */
const RETRY_AFTER = '5';

/** Returns a response with problem details, which caches must not store. */
export function problem({status, title, detail, isLasting}: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({type: 'about:blank', title, status, detail}), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...commonHeaders,
      ...((status === 503 || status === 409) && !isLasting && {'Retry-After': RETRY_AFTER}),
      ...headers,
    },
  });
}
