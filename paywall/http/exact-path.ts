import type {Context, Handler} from 'hono';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import type {FreeItem, Item, PaidItem} from '../site/site.ts';
import type {GateEnv} from './gate-env.ts';
import type {NotFound} from './not-found.ts';
import {problem} from './problem.ts';

type Answer<T extends Item> = (c: Context<GateEnv>, item: T) => Response | Promise<Response>;

/** Free paths need no preflight (CORS), and static hosts do not answer it. */
const allowed = {free: ['GET', 'HEAD'], paid: ['GET', 'OPTIONS']};

/** The allowed requests from browsers to a paid path. `@x402/fetch` sends Access-Control-Expose-Headers as a request header. */
const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': `PAYMENT-SIGNATURE,SIGN-IN-WITH-X,${SHA256_HEADER},Access-Control-Expose-Headers`,
  'Access-Control-Max-Age': '86400',
  Vary: 'Access-Control-Request-Headers',
};

/**
 * Answers only the paths of the site, spelled exactly as in the catalogue, and only with the methods that they allow. Any other request is
 * answered with 404 or 405. A paid path does not allow `HEAD`, which would reveal the length of the document.
 */
export function exactPath(
  items: ReadonlyMap<string, Item>,
  answers: {readonly notFound: NotFound; readonly free: Answer<FreeItem>; readonly paid: Answer<PaidItem>},
): Handler<GateEnv> {
  return function exactPath(c) {
    const item = items.get(rawPath(c));
    if (!item) return answers.notFound(c);
    const methods = allowed[item.kind];
    if (!methods.includes(c.req.method))
      return problem(
        {status: 405, title: 'Method not allowed', detail: `This path accepts ${methods.join(' and ')}.`},
        {Allow: methods.join(', ')},
      );
    if (item.kind === 'free') return answers.free(c, item);
    if (c.req.method === 'OPTIONS') return new Response(null, {status: 204, headers: preflightHeaders});
    return answers.paid(c, item);
  };
}

/** The path as sent, without the query: neither decoded nor normalised, unlike `c.req.path`. */
export function rawPath(c: Context<GateEnv>): string {
  // Tests call `app.request()` without bindings.
  const target = (c.env as GateEnv['Bindings'] | undefined)?.target ?? c.req.url.slice(c.req.url.indexOf('/', 8));
  return target.split('?', 1)[0] ?? target;
}
