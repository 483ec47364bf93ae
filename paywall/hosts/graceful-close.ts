import type {Server, ServerResponse} from 'node:http';
import {Server as NetServer} from 'node:net';
import type {Duplex} from 'node:stream';

const CLOSE_IDLE_EVERY_MS = 50;
/** A reader who takes a little now and then could keep the process for ever. The slowest settlement is known in less. */
const PATIENCE_MS = 90_000;

/**
 * Follows the connections of a server from now on. Returns what closes it: it takes no new request, and resolves when all that were under
 * way are answered and their answers sent. Node's own way cuts off an answer that waits for a slow reader; here it has a while.
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
