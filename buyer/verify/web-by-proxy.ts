import type {IncomingHttpHeaders} from 'node:http';
import {proxyDispatcher} from '../../shared/proxy.ts';

interface Asked {
  readonly method?: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request with an unchanged target through the proxy of the environment. Returns undefined without a proxy. */
export async function askByProxy(origin: string, {method = 'GET', target, headers}: Asked, signal: AbortSignal) {
  const dispatcher = proxyDispatcher();
  if (!dispatcher) return undefined;
  const options = {origin, path: target, method, headers: {...headers}, signal};
  const answer = await dispatcher.request(options).catch((error: unknown) => {
    throw asOnNode(error);
  });
  return {status: answer.statusCode, headers: joined(answer.headers), body: readBody(answer.body)};
}

async function* readBody(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw asOnNode(error);
  }
}

/** Sets the error code of `node:http` for a connection that the server closed. */
function asOnNode(error: unknown): unknown {
  const {code, message} = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_SOCKET' ? Object.assign(new Error(message), {code: 'ECONNRESET'}) : error;
}

/** Returns headers as in `node:http`: one value for each name, except for `set-cookie`. */
function joined(headers: Record<string, string | string[] | undefined>): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'set-cookie' ? [value].flat() : Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}
