import * as http from 'node:http';
import * as https from 'node:https';
import {InputError} from '../../shared/fault.ts';
import {ProxyError} from '../../shared/proxy.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {untrustedAdvice} from '../../shared/untrusted.ts';
import {MAX_BYTES, MAX_TOTAL_BYTES} from './bounds.ts';
import {askByProxy} from './web-by-proxy.ts';

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
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Why there is no answer, as the end of a sentence about the target. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly status = 0;
  readonly headers: http.IncomingHttpHeaders = {};
}

/** Enough for a large 402, and limited. */
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECTIONS = 8;

/** Sends requests to one origin, with a time limit. */
export class Web implements Disposable {
  readonly origin: string;
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #seconds: number;
  readonly #until: AbortSignal;
  #left = MAX_TOTAL_BYTES;

  /**
   * @param seconds for a request and its whole answer
   * @param until aborts all requests
   */
  constructor(origin: string, seconds: number, until: AbortSignal) {
    this.origin = origin;
    this.#url = new URL(origin);
    const {Agent} = this.#url.protocol === 'https:' ? https : http;
    this.#agent = new Agent({keepAlive: true, maxSockets: CONNECTIONS});
    this.#seconds = seconds;
    this.#until = until;
  }

  /** Sends a request. If the server had closed the reused connection, sends it again on a new one. */
  async ask(request: Request, agent: http.Agent | false = this.#agent): Promise<Answer | NoAnswer> {
    const limit = AbortSignal.timeout(this.#seconds * 1000);
    const signal = AbortSignal.any([limit, this.#until]);
    try {
      signal.throwIfAborted();
      if (this.#left <= 0) throw new NoAnswer(`was not asked: all answers together had ${MAX_TOTAL_BYTES} bytes`);
      const spent = (bytes: number) => (this.#left -= bytes);
      const proxied = await askByProxy(this.#url.origin, withAgent(request), signal);
      if (proxied) {
        const bytes = await bodyOf(proxied.body, request.maxBytes ?? MAX_BYTES, spent);
        return {status: proxied.status, headers: proxied.headers, bytes};
      }
      return await send(this.#url, request, agent, signal, spent);
    } catch (cause) {
      if (cause instanceof KeptTooLong) return this.ask(request, false);
      if (cause instanceof NoAnswer) return cause;
      if (this.#until.aborted) return new NoAnswer('was not asked: the time for all checks is over', {cause});
      if (limit.aborted) return new NoAnswer(`gave no whole answer within ${this.#seconds} s`, {cause});
      return new NoAnswer(reasonOf(cause as NodeJS.ErrnoException), {cause});
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** The server closed the reused connection before the request arrived. */
class KeptTooLong extends Error {}

function send(
  url: URL,
  asked: Request,
  agent: http.Agent | false,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Answer> {
  const {request} = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? undefined : Number(url.port),
      method: asked.method ?? 'GET',
      path: asked.target,
      headers: withAgent(asked).headers,
      maxHeaderSize: MAX_HEADER_BYTES,
      agent,
      signal,
    });
    sent.once('response', response => {
      bodyOf(response, asked.maxBytes ?? MAX_BYTES, onBytes).then(bytes => {
        resolve({status: response.statusCode ?? 0, headers: response.headers, bytes});
      }, reject);
    });
    sent.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new NoAnswer('switched to another protocol'));
    });
    // `on`, not `once`, because further errors may follow the answer.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const closed = sent.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      reject(closed ? new KeptTooLong() : error);
    });
    sent.end();
  });
}

function withAgent(asked: Request) {
  const headers = {'Accept-Encoding': 'identity', 'User-Agent': 'frozen-snapshots-verify', ...asked.headers};
  return {...asked, headers};
}

async function bodyOf(
  response: AsyncIterable<Buffer>,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    onBytes(chunk.length);
    if (length > maxBytes) throw new NoAnswer(`answers more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'cannot be found: its name is unknown',
  EAI_AGAIN: 'cannot be looked up: is there a network?',
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'ended the connection without an answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: this machine has no network',
  EPROTO: 'speaks no TLS that this program knows',
  UND_ERR_HEADERS_OVERFLOW: `answers headers of more than ${MAX_HEADER_BYTES} bytes`,
  HPE_HEADER_OVERFLOW: `answers headers of more than ${MAX_HEADER_BYTES} bytes`,
};

function reasonOf(error: NodeJS.ErrnoException): string {
  const {code = '', message} = error;
  if (error instanceof ProxyError) return `cannot be reached: ${message}`;
  const known = reasons[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return `does not speak HTTP (${code})`;
  return /CERT|TLS|SSL|UNABLE_TO/.test(code)
    ? `has no TLS certificate to trust (${code})${untrustedAdvice(error)}`
    : `gives no answer: ${message}`;
}

/** Returns the origin of an address. Throws `InputError` if it is invalid. */
export function originOf(text: string): string {
  const {origin, href} = URL.canParse(text) ? new URL(text) : {};
  if (origin !== undefined && /^https?:/.test(origin) && href === `${origin}/`) return origin;
  const rule = 'is not the origin of a site, such as https://snapshots.example';
  throw new InputError({code: 'FZ601', subject: shownAddress(text), rule});
}

/** True if a target is a URL and not a path. */
export function isAddress(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
}
