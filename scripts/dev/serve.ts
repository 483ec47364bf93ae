import {once} from 'node:events';
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createAdaptorServer} from '@hono/node-server';
import {InputError} from '../../shared/fault.ts';
import {devApp} from './app.ts';
import type {Stand} from './stand.ts';

const FIRST_PORT = 3000;
const MOST_PORTS = 100;

/** A server of this machine. */
export interface Serving extends Disposable {
  readonly url: string;
}

/** Serves what stands on this port, or on the first that is free. Throws `InputError` where it cannot. */
export async function serveDev(stand: Stand, port: number | undefined): Promise<Serving> {
  const server = createAdaptorServer({fetch: devApp(stand).fetch}) as Server;
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

/** False where the port is taken and is not the last to try. */
async function listens(server: Server, port: number, isLast: boolean): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && !isLast) return false;
    const rule = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be listened on (${code})`;
    throw new InputError({file: '--port', value: port, rule}, {cause});
  }
}
