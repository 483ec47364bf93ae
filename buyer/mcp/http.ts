import {randomUUID} from 'node:crypto';
import {bearerAuth} from 'hono/bearer-auth';
import {Hono} from 'hono';
import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {WebStandardStreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {isLoopback} from '../../shared/loopback.ts';

const MOST_SESSIONS = 64;

/**
 * Serves MCP over HTTP, at `/mcp`, with a session for each client. Above 64 sessions, the one that was idle the longest ends.
 *
 * @param token the token that clients must send. Without one, `Host` must be this machine, which prevents DNS rebinding. Browsers, which
 * send `Origin`, are refused.
 */
export function httpSessions(newServer: () => McpServer, token: string | undefined) {
  /** In the order of their last use. */
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const touch = (id: string, transport: WebStandardStreamableHTTPServerTransport) => {
    sessions.delete(id);
    sessions.set(id, transport);
  };

  async function open() {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      async onsessioninitialized(id) {
        const [oldest] = sessions.values();
        if (sessions.size >= MOST_SESSIONS) await oldest?.close();
        touch(id, transport);
      },
    });
    transport.onclose = () => {
      sessions.delete(transport.sessionId ?? '');
    };
    await newServer().connect(transport);
    return transport;
  }

  const app = new Hono().use(async (c, next) => {
    const address = `http://${c.req.header('Host') ?? ''}`;
    const isHere = URL.canParse(address) && isLoopback(new URL(address).hostname);
    if (c.req.header('Origin') !== undefined) return c.text('Browsers are not served.\n', 403);
    if (token === undefined && !isHere) return c.text('The Host is not this machine.\n', 403);
    return next();
  });
  if (token !== undefined) app.use(bearerAuth({token}));
  app.all('/mcp', async c => {
    const id = c.req.header('Mcp-Session-Id');
    const known = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined && known) touch(id, known);
    if (id !== undefined && !known)
      return c.json({jsonrpc: '2.0', error: {code: -32001, message: 'Session not found'}, id: null}, 404);
    return (known ?? (await open())).handleRequest(c.req.raw);
  });
  return {
    app,
    /** Ends all sessions and their open answers. */
    async close() {
      for (const transport of [...sessions.values()]) await transport.close();
    },
  };
}
