import {decodePaymentResponseHeader} from '@x402/core/http';
import type {MiddlewareHandler} from 'hono';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';

/** One request, as a line of JSON. Never a header or a query: those may carry secrets. */
export interface AccessLine {
  readonly time: string;
  /** `-`, like the path, where a request broke off before it was known. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Of a document that was paid for. */
  readonly payer?: string | undefined;
  readonly transaction?: string | undefined;
}

/** What is known of a request that is answered. */
interface Answered extends Pick<AccessLine, 'method' | 'status' | 'payer' | 'transaction'> {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** A query behind the path is dropped. */
  readonly target: string;
}

const PATH_LENGTH = 200;
/** Before the host, where the target of a request is an address. */
const CREDENTIALS = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?)[^/]*@/i;

/** Writes a line for every request that is answered. */
export function accessLog(write: (line: string) => void): MiddlewareHandler<GateEnv> {
  return async function accessLog(c, next) {
    const start = Date.now();
    await next();
    const receipt = c.res.status === 200 ? c.res.headers.get('PAYMENT-RESPONSE') : null;
    const {payer, transaction} = receipt ? decodePaymentResponseHeader(receipt) : {};
    write(accessLine({start, method: c.req.method, target: rawPath(c), status: c.res.status, payer, transaction}));
  };
}

/** The line of a request that is answered now. */
export function accessLine({start, method, target, status, payer, transaction}: Answered): string {
  const [path = ''] = target.replace(CREDENTIALS, '$1').split(/[?#]/, 1);
  const line: AccessLine = {
    time: new Date(start).toISOString(),
    method,
    path: path.slice(0, PATH_LENGTH),
    status,
    ms: Date.now() - start,
    payer,
    transaction,
  };
  return JSON.stringify(line);
}
