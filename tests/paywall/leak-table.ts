import {exoticHeaders} from './leaks/headers.ts';
import {methods} from './leaks/methods.ts';
import {payments} from './leaks/payments.ts';
import {pairs} from './leaks/pairs.ts';
import {signIns} from './leaks/sign-ins.ts';
import {spellings} from './leaks/spellings.ts';
import type {Challenge} from './hand-made.ts';

/** An attempt to get a paid document without paying: bytes for a socket. */
export interface Leak {
  readonly name: string;
  readonly request: string;
  /**
   * True if it violates the grammar of HTTP. A server may then close the connection, or answer 5xx, before the gate
   * gets the request.
   */
  readonly malformed?: boolean;
}

/** The parts of an attempt. */
export interface Target {
  /** `host:port` of the gate. */
  readonly host: string;
  /** A paid path of one segment below `/api/v1/`. */
  readonly path: string;
  /** A free path. */
  readonly free: string;
  /** The payment requirements at `path`, and at another paid path. */
  readonly challenge: Challenge;
  readonly otherChallenge: Challenge;
}

/**
 * Returns all attempts on one paid path: spellings, methods, headers, smuggling, pipelining, and invalid payments and
 * sign-ins.
 */
export async function leakTable(target: Target): Promise<Leak[]> {
  return [
    ...spellings(target),
    ...methods(target),
    ...exoticHeaders(target),
    ...pairs(target),
    ...(await payments(target)),
    ...(await signIns(target)),
  ];
}

/** Returns a request with headers and an empty body. The connection closes after the response. */
export function rawRequest(line: string, headers: readonly string[]): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n');
}
