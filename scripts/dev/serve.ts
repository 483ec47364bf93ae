import {once} from 'node:events';
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createAdaptorServer} from '@hono/node-server';
import {InputError} from '../../shared/fault.ts';
import {devApp} from './app.ts';
import type {DevState} from './state.ts';

const FIRST_PORT = 3000;
const MOST_PORTS = 100;

/** A running server. */
export interface Serving extends Disposable {
  readonly url: string;
}

/** Serves the preview on a port, or on the first free one. Throws `InputError` if it cannot listen. */
export async function serveDev(state: DevState, port: number | undefined): Promise<Serving> {
  const server = createAdaptorServer({fetch: devApp(state).fetch}) as Server;
  const last = port ?? FIRST_PORT + MOST_PORTS;
  for (let tried = port ?? FIRST_PORT; !(await listens(server, tried, tried === last)); tried++);
  const {port: found} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${found}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns false if the port is in use and there is another one to try. */
async function listens(server: Server, port: number, isLast: boolean): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && !isLast) return false;
    const rule = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${code})`;
    throw new InputError({code: 'FZ907', field: '--port', value: port, rule}, {cause});
  }
}
