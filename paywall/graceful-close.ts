import type {Server} from 'node:http';
import {Server as NetServer, type Socket} from 'node:net';

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Follows the connections of a server from now on. Returns what closes it: it takes no new request, and resolves when all that were under
 * way are answered and their answers sent. Node's own way cuts off an answer that waits for a slow reader.
 */
export function gracefulClose(server: Server): () => Promise<void> {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({socket}, response) => {
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
  });
  return async () => {
    const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
    // A connection that was busy stays open for its next request once it is answered.
    const closing = setInterval(() => {
      for (const socket of open) if (!busy.has(socket)) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    await closed;
    clearInterval(closing);
  };
}
