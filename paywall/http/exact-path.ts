import type {Context, MiddlewareHandler} from 'hono';
import type {NewSale} from '../ledger/sale.ts';
import type {Sending} from '../payments/sales/lease.ts';
import type {NotFound} from './not-found.ts';
import {problem} from './problem.ts';
import type {Item} from '../site/site.ts';

export interface GateEnv {
  /** The host reports this about each request. */
  Bindings: {
    /** The request target as it was sent. */
    readonly target?: string | undefined;
    /** The IP address of the client, or another name of it. Without it there are no limits per client. */
    readonly clientAddress?: string | undefined;
    /** Resolves when the answer was sent. */
    readonly sent?: () => Promise<Sending>;
  };
  /** Set while a payment is answered, for the access log. */
  Variables: {
    /** The sale of the document in the answer. */
    sale?: NewSale;
    /** Why there is no document for the payment, in a code. */
    reason?: string;
  };
}

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
