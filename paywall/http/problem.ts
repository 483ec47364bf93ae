import {commonHeaders} from './common-headers.ts';

/** What went wrong, for a program: RFC 9457 problem details. */
export interface Problem {
  readonly status: 400 | 404 | 405 | 409 | 410 | 412 | 421 | 500 | 503;
  readonly title: string;
  readonly detail: string;
  /** Asking again changes nothing. */
  readonly isLasting?: boolean;
}

/** Seconds after which a buyer should ask again when the gate could not answer. */
const RETRY_AFTER = '5';

/** An answer of problem details. It never says anything about a document, and no cache keeps it. */
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
