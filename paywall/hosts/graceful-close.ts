import type {Server, ServerResponse} from 'node:http';
import {Server as NetServer} from 'node:net';
import type {Duplex} from 'node:stream';

const CLOSE_IDLE_EVERY_MS = 50;
/** After this time answers that are not sent yet are cut off, because a slow reader could keep the process alive. A settlement takes less. */
const PATIENCE_MS = 90_000;

/**
 * Tracks the connections of a server. Returns a function that closes it: the server accepts no new request, and the promise resolves when
 * all requests in progress are answered and the answers are sent. Node's `closeAllConnections` would cut off answers to slow readers.
 */
export function gracefulClose(server: Server, patienceMs = PATIENCE_MS): () => Promise<void> {
  const open = new Set<Duplex>();
  const answers = new Set<ServerResponse>();
  server.on('connection', (socket: Duplex) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (_, answer) => {
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
  });
  return async () => {
    const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
    // A connection that was busy stays open for its next request once it is answered.
    const since = performance.now();
    const closing = setInterval(() => {
      const isPatient = performance.now() - since < patienceMs;
      const busy = new Set<Duplex>(isPatient ? [...answers].map(({req}) => req.socket) : []);
      for (const socket of open) if (!busy.has(socket)) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    await closed;
    clearInterval(closing);
  };
}
