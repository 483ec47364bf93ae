import {exoticHeaders} from './leaks/headers.ts';
import {methods} from './leaks/methods.ts';
import {payments} from './leaks/payments.ts';
import {pairs} from './leaks/pairs.ts';
import {signIns} from './leaks/sign-ins.ts';
import {spellings} from './leaks/spellings.ts';
import type {Challenge} from './hand-made.ts';

/** One attempt at a paid document without paying for it: bytes for a socket. */
export interface Leak {
  readonly name: string;
  readonly request: string;
  /** It breaks the grammar of HTTP, so that a server may close, or refuse it with a 5xx, before any gate is asked. */
  readonly malformed?: boolean;
}

/** What an attempt is built from. */
export interface Target {
  /** `host:port` of the gate. */
  readonly host: string;
  /** A paid path of one segment below `/api/v1/`. */
  readonly path: string;
  /** A free path. */
  readonly free: string;
  /** What the gate asks for at `path`, and at another paid path. */
  readonly challenge: Challenge;
  readonly otherChallenge: Challenge;
}

/** Every attempt on one paid path: spellings, methods, headers, smuggling, pipelining, payments and sign-ins that are none. */
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

/** A request line, headers and an empty body, as sent; the connection ends with the answer. */
export function rawRequest(line: string, headers: readonly string[]): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n');
}
