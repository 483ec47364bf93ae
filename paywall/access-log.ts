import {decodePaymentResponseHeader} from '@x402/core/http';
import type {MiddlewareHandler} from 'hono';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';

/** One request, as a line of JSON. Never a header or a query: those may carry secrets. */
export interface AccessLine {
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Of a document that was paid for. */
  readonly payer?: string | undefined;
  readonly transaction?: string | undefined;
}

const PATH_LENGTH = 200;

/** Writes a line for every request that is answered. */
export function accessLog(write: (line: string) => void): MiddlewareHandler<GateEnv> {
  return async function accessLog(c, next) {
    const start = Date.now();
    await next();
    const receipt = c.res.status === 200 ? c.res.headers.get('PAYMENT-RESPONSE') : null;
    const {payer, transaction} = receipt ? decodePaymentResponseHeader(receipt) : {};
    const line: AccessLine = {
      time: new Date(start).toISOString(),
      method: c.req.method,
      path: rawPath(c).slice(0, PATH_LENGTH),
      status: c.res.status,
      ms: Date.now() - start,
      payer,
      transaction,
    };
    write(JSON.stringify(line));
  };
}
