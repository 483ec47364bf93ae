import type {Context, MiddlewareHandler} from 'hono';
import type {GateEnv} from './gate-env.ts';
import type {NotFound} from './not-found.ts';
import {problem} from './problem.ts';
import type {Item} from '../site/site.ts';

/** A free path needs no preflight, and hosts of static files answer none. */
const allowed = {free: ['GET', 'HEAD'], paid: ['GET', 'OPTIONS']};

/**
 * Lets only the paths of the site through, spelled exactly as in the catalogue, and only with the methods that they allow. Any other
 * request is answered with 404 or 405. A paid path does not allow `HEAD`, which would reveal the length of the document.
 */
export function exactPath(items: ReadonlyMap<string, Item>, notFound: NotFound): MiddlewareHandler<GateEnv> {
  return async function exactPath(c, next) {
    const item = items.get(rawPath(c));
    if (!item) return notFound(c);
    const methods = allowed[item.kind];
    if (methods.includes(c.req.method)) return next();
    return problem(
      {status: 405, title: 'Method not allowed', detail: `This document knows ${methods.join(', ')}.`},
      {Allow: methods.join(', ')},
    );
  };
}

/** The path as sent, without the query: neither decoded nor normalised, unlike `c.req.path`. */
export function rawPath(c: Context<GateEnv>): string {
  // There are no bindings at all where a test calls `app.request()`.
  const target = (c.env as GateEnv['Bindings'] | undefined)?.target ?? c.req.url.slice(c.req.url.indexOf('/', 8));
  return target.split('?', 1)[0] ?? target;
}
