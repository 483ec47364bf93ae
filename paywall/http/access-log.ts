import {decodePaymentResponseHeader} from '@x402/core/http';
import type {MiddlewareHandler} from 'hono';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';
import type {Item} from '../site/site.ts';

/** One request that was answered, written as a line of JSON. Never a header or a query: those may carry secrets. */
export interface AccessLine {
  readonly time: string;
  /** `-`, like the path, where a request broke off before it was known. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** `unknown` where there is no such document. */
  readonly kind: Item['kind'] | 'unknown';
  /** Name of the product whose paid document was asked for. */
  readonly product?: string | undefined;
  /** Of a document that was paid for: the sale in the ledger, which may be an earlier one. */
  readonly price?: string | undefined;
  readonly network?: string | undefined;
  readonly payer?: string | undefined;
  readonly nonce?: string | undefined;
  readonly sha256?: string | undefined;
  readonly transaction?: string | undefined;
  /** Why a payment got no document, in a code. */
  readonly reason?: string | undefined;
}

/** What is known of a request that is answered. */
interface Answered extends Omit<AccessLine, 'time' | 'path' | 'ms'> {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** A query behind the path is dropped. */
  readonly target: string;
}

const PATH_LENGTH = 200;
/** Before the host, where the target of a request is an address. */
const CREDENTIALS = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?)[^/]*@/i;

/** Tells of every request that is answered. */
export function accessLog(
  items: ReadonlyMap<string, Item>,
  write: (line: AccessLine) => void,
): MiddlewareHandler<GateEnv> {
  return async function accessLog(c, next) {
    const start = Date.now();
    await next();
    const target = rawPath(c);
    const item = items.get(target);
    const receipt = c.res.status === 200 ? c.res.headers.get('PAYMENT-RESPONSE') : null;
    const {payer, transaction} = receipt ? decodePaymentResponseHeader(receipt) : {};
    const {price, network, nonce, sha256} = c.get('sale') ?? {};
    write(
      accessLine({
        start,
        method: c.req.method,
        target,
        status: c.res.status,
        kind: item?.kind ?? 'unknown',
        product: item?.kind === 'paid' ? item.rule.name : undefined,
        price,
        network,
        payer,
        nonce,
        sha256,
        transaction,
        reason: c.get('reason'),
      }),
    );
  };
}

/** The line of a request that is answered now. */
export function accessLine({start, method, target, status, ...more}: Answered): AccessLine {
  const [path = ''] = target.replace(CREDENTIALS, '$1').split(/[?#]/, 1);
  const time = new Date(start).toISOString();
  return {time, method, path: path.slice(0, PATH_LENGTH), status, ms: Date.now() - start, ...more};
}
