import type {Server} from 'node:http';
import {createAdaptorServer} from '@hono/node-server';
import {gracefulClose} from '../../paywall/hosts/graceful-close.ts';
import {listen} from '../../paywall/hosts/listen.ts';
import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {InputError} from '../../shared/fault.ts';
import type {Terminal} from '../terminal/command.ts';
import {httpSessions} from '../../buyer/mcp/http.ts';
import {newServer} from '../../buyer/mcp/server.ts';
import type {Shop} from '../../buyer/mcp/shop.ts';
import {StdioTransport} from '../../buyer/mcp/stdio-transport.ts';

/**
 * Serves the client that started this process. Only the protocol is written to standard output. `ended` resolves when the client has closed
 * its input and received all answers.
 */
export async function serveStdio(shop: Shop) {
  const server = newServer(shop);
  const ended = new Promise<void>(resolve => (server.server.onclose = resolve));
  await server.connect(new StdioTransport(process.stdin, process.stdout));
  return {ended, close: () => server.close()};
}

/** Serves clients over HTTP, which share one budget. Rejects with `SiteError` if it cannot listen. */
export async function serveHttp(
  shop: Shop,
  {token, ...place}: {readonly host: string; readonly port: number; readonly token: string | undefined},
  terminal: Terminal,
) {
  const sessions = httpSessions(() => newServer(shop), token);
  const server = createAdaptorServer({fetch: request => sessions.app.fetch(request)}) as Server;
  const stop = gracefulClose(server);
  terminal.err.write(`Listening on ${await listen(server, {...place, setting: '--port'})}/mcp\n`);
  return {
    ended: new Promise<void>(() => undefined),
    async close() {
      await sessions.close();
      await stop();
    },
  };
}

/** Reads the token of clients from a file that only its owner can read. Throws if it is too short; the message does not contain it. */
export async function readToken(file: string): Promise<string> {
  const token = (await readSecretFile(file, `The token file ${file}`)).trim();
  if (/^[A-Za-z0-9._~+/-]{32,}=*$/.test(token)) return token;
  const rule = 'does not contain a token of 32 letters and digits or more';
  throw new InputError({code: 'FZ508', file, rule, fix: 'Create one with `openssl rand -hex 32`.'});
}
