import {createAdaptorServer} from '@hono/node-server';
import {once} from 'node:events';
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';

/** A server on a free local port. */
export interface Listening extends AsyncDisposable {
  /** The origin, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Stops listening and closes all connections. */
  stop(): Promise<void>;
}

/** Serves an app on a free local port. Resolves when it listens. */
export async function listen(app: {fetch(request: Request): Response | Promise<Response>}): Promise<Listening> {
  const server = createAdaptorServer({fetch: request => app.fetch(request)}) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop};
}
