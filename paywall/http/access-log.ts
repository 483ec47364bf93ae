import type {MiddlewareHandler} from 'hono';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './gate-env.ts';
import type {Item} from '../site/site.ts';

/** A line of the access log, written as JSON. Headers and the query are omitted, because they may contain secrets. */
export interface AccessLine {
  readonly time: string;
  /** `-`, like the path, if the request ended before it was known. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** `unknown` if the site does not have the path. */
  readonly kind: Item['kind'] | 'unknown';
  /** The name of the product, if a paid document was requested. */
  readonly product?: string | undefined;
  /** This and the following members describe the sale for which a document was sent. It may be an earlier one. */
  readonly price?: string | undefined;
  readonly network?: string | undefined;
  readonly payer?: string | undefined;
  readonly nonce?: string | undefined;
  readonly sha256?: string | undefined;
  readonly transaction?: string | undefined;
  /** The code of the reason why a payment was refused. */
  readonly reason?: string | undefined;
}

/** The facts about an answered request. */
interface Answered extends Omit<AccessLine, 'time' | 'path' | 'ms'> {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** The request target: a path, or a URL. Its query and its credentials are dropped. */
  readonly target: string;
}

const MAX_PATH_LENGTH = 200;
/** The credentials before the host, if the target of a request is a URL. */
const CREDENTIALS = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?)[^/]*@/i;

/** Makes the middleware that logs every answered request. */
export function accessLog(
  items: ReadonlyMap<string, Item>,
  write: (line: AccessLine) => void,
): MiddlewareHandler<GateEnv> {
  return async function accessLog(c, next) {
    const start = Date.now();
    await next();
    const target = rawPath(c);
    const item = items.get(target);
    const {sale, receipt} = c.get('paid') ?? {};
    write(
      accessLine({
        start,
        method: c.req.method,
        target,
        status: c.res.status,
        kind: item?.kind ?? 'unknown',
        product: item?.kind === 'paid' ? item.rule.name : undefined,
        price: sale?.price,
        network: sale?.network,
        payer: receipt?.payer,
        nonce: sale?.nonce,
        sha256: sale?.sha256,
        transaction: receipt?.transaction,
        reason: c.get('reason'),
      }),
    );
  };
}

/** Returns the log line of a request that is answered now. */
export function accessLine({start, method, target, status, ...more}: Answered): AccessLine {
  const [path = ''] = target.replace(CREDENTIALS, '$1').split(/[?#]/, 1);
  const time = new Date(start).toISOString();
  return {time, method, path: path.slice(0, MAX_PATH_LENGTH), status, ms: Date.now() - start, ...more};
}
