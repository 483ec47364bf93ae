import {createAdaptorServer} from '@hono/node-server';
import {once} from 'node:events';
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';

/** A server on a local port. */
export type Listening = Awaited<ReturnType<typeof listen>>;

/** Serves an app on a local port, by default a free one. Resolves when it listens. Rejects with the error of the system if it cannot. */
export async function listen(app: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>, wanted = 0) {
  const server = createAdaptorServer({fetch: (request, env) => app.fetch(request, env)}) as Server;
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  /** Stops listening and closes all connections. */
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop};
}
