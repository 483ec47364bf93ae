import type {IncomingHttpHeaders} from 'node:http';
import type {Dispatcher} from 'undici';
import {errorMessage} from '../../shared/error-message.ts';
import {wrongUsage} from '../../shared/fault.ts';
import {proxyDispatcher, ProxyError} from '../../shared/proxy.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {untrustedAdvice} from '../../shared/untrusted.ts';
import {MAX_BYTES, MAX_TOTAL_BYTES} from './bounds.ts';

/** A request with an unchanged target. `fetch` would normalise the spellings that are tested. */
export interface Request {
  readonly method?: string;
  /** The request target, such as `/api//v1/%61`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The maximum size of the body, by default that of a document. A larger body counts as no answer. */
  readonly maxBytes?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Why there is no answer, as the end of a sentence about the target. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly status = 0;
  readonly headers: IncomingHttpHeaders = {};

  /** True if the server closed the connection. */
  get isClosed(): boolean {
    return isClosing(this.cause);
  }
}

/** Enough for a large 402, and limited. */
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECTIONS = 8;

/** Sends requests to one origin, with a time limit, through the proxy of the environment if there is one. */
export class Web implements Disposable {
  readonly origin: string;
  readonly #seconds: number;
  readonly #until: AbortSignal;
  #agent: Dispatcher | undefined;
  #left = MAX_TOTAL_BYTES;

  /** A request and its whole answer may take `seconds`. `until` aborts all requests. */
  constructor(origin: string, seconds: number, until: AbortSignal) {
    [this.origin, this.#seconds, this.#until] = [origin, seconds, until];
  }

  /** Sends a request. If the server closes the connection, sends it again once, because the connection may have been a reused one. */
  async ask(request: Request, isRepeated = false): Promise<Answer | NoAnswer> {
    const limit = AbortSignal.timeout(this.#seconds * 1000);
    const signal = AbortSignal.any([limit, this.#until]);
    try {
      signal.throwIfAborted();
      if (this.#left <= 0) throw new NoAnswer(`was not requested: all answers together had ${MAX_TOTAL_BYTES} bytes`);
      return await this.#send(request, signal);
    } catch (cause) {
      if (cause instanceof NoAnswer) return cause;
      if (this.#until.aborted) return new NoAnswer('was not requested: the time for all checks is over', {cause});
      if (limit.aborted) return new NoAnswer(`did not answer completely within ${this.#seconds} s`, {cause});
      if (isClosing(cause) && !isRepeated) return this.ask(request, true);
      return new NoAnswer(reasonOf(cause as NodeJS.ErrnoException), {cause});
    }
  }

  async #send({method = 'GET', target, headers, maxBytes = MAX_BYTES}: Request, signal: AbortSignal): Promise<Answer> {
    const answer = await (proxyDispatcher() ?? (await this.#direct())).request({
      origin: new URL(this.origin).origin,
      path: target,
      method,
      headers: {'Accept-Encoding': 'identity', 'User-Agent': 'frozen-snapshots-verify', ...headers},
      signal,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      this.#left -= chunk.length;
      if (length > maxBytes) throw new NoAnswer(`answers with more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return {status: answer.statusCode, headers: joined(answer.headers), bytes: Buffer.concat(chunks)};
  }

  async #direct(): Promise<Dispatcher> {
    // When bundled, the package has only its default export.
    const {Agent} = (await import('undici')).default;
    const noTimeouts = {headersTimeout: 0, bodyTimeout: 0, connect: {timeout: 0}};
    return (this.#agent ??= new Agent({connections: CONNECTIONS, maxHeaderSize: MAX_HEADER_BYTES, ...noTimeouts}));
  }

  [Symbol.dispose](): void {
    void this.#agent?.destroy();
  }
}

function isClosing(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** Returns headers as in `node:http`: one value for each name, except for `set-cookie`. */
function joined(headers: Record<string, string | string[] | undefined>): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'set-cookie' ? [value].flat() : Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'cannot be found: its name is unknown',
  EAI_AGAIN: 'cannot be looked up: is there a network?',
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'ended the connection without an answer',
  EPIPE: 'ended the connection without an answer',
  UND_ERR_SOCKET: 'ended the connection without an answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: this machine has no network',
  EPROTO: 'does not support a version of TLS that this program supports',
  UND_ERR_HEADERS_OVERFLOW: `sends headers of more than ${MAX_HEADER_BYTES} bytes`,
};

function reasonOf(error: NodeJS.ErrnoException): string {
  const {code = '', message} = error;
  if (error instanceof ProxyError) return `cannot be reached: ${message}`;
  const known = reasons[code];
  if (known !== undefined) return known;
  if (error.name === 'HTTPParserError') return `does not speak HTTP: ${message}`;
  // A failed handshake, for example with a server that speaks http. Other codes are about the certificate.
  if (code.startsWith('ERR_SSL_')) return `does not accept a TLS connection: ${errorMessage(error)}`;
  return /CERT|TLS|UNABLE_TO/.test(code)
    ? `does not have a trusted TLS certificate (${code})${untrustedAdvice(error)}`
    : `does not answer: ${message}`;
}

/** Returns the origin of an address that a user named. Throws `InputError` if it is invalid. */
export function originOf(text: string): string {
  const {origin, href, username, password} = URL.canParse(text) ? new URL(text) : {};
  if (origin !== undefined && /^https?:/.test(origin) && href === `${origin}/`) return origin;
  const rule =
    username || password
      ? 'has a user name or password, which must not be sent to a site'
      : 'is not the origin of a site, such as https://snapshots.example';
  const fix = 'Name the site without user name, path and query.';
  throw wrongUsage({code: 'FZ601', url: shownAddress(text), rule, fix});
}

/** True for an address such as `https://…`, false for a path of a file or folder. */
export function isAddress(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
}
