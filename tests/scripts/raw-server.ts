import {once} from 'node:events';
import {createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

/** An HTTP server in this process. `await using` stops it. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
}

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that passes each raw request to a function. */
export async function rawServer(answer: Answering): Promise<RawServer> {
  const server = createServer({keepAliveTimeout: 1000}, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A response in place of that of the server behind it. Headers with the value `undefined` are removed. */
export interface Instead {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
}

/** A request, and the response of the server behind. */
export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Starts a server in front of another one. It can change responses, and forwards the target unchanged. */
export function inFrontOf(url: string, change: (exchange: Exchange) => Instead | undefined): Promise<RawServer> {
  return rawServer((incoming, outgoing) => {
    const {method = '', url: target = ''} = incoming;
    const headers = without(incoming.headers, ['connection']);
    const behind = request(url, {method, path: target, headers, agent: false}, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const reported = without(answer.headers, ['connection', 'transfer-encoding']);
        const exchange = {
          method,
          target,
          status: answer.statusCode ?? 0,
          headers: reported,
          body: Buffer.concat(chunks),
        };
        const {status, headers: other, body} = change(exchange) ?? {};
        const all = {
          ...reported,
          ...(body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))}),
          ...other,
        };
        const kept = Object.entries(all).filter(([, value]) => value !== undefined) as [string, string][];
        outgoing.writeHead(status ?? exchange.status, Object.fromEntries(kept)).end(body ?? exchange.body);
      });
    });
    behind.on('error', () => outgoing.destroy());
    incoming.pipe(behind);
  });
}

/** Returns the headers without those of the connection. */
function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
