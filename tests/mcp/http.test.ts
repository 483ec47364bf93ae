import assert from 'node:assert/strict';
import {test} from 'node:test';
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {httpSessions} from '../../buyer/mcp/http.ts';

const newServer = () => new McpServer({name: 'test', version: '1'});
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'test', version: '1'}},
};

function ask(sessions: ReturnType<typeof httpSessions>, headers: Record<string, string>, body: object = hello) {
  const common = {Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json'};
  return sessions.app.request('/mcp', {method: 'POST', body: JSON.stringify(body), headers: {...common, ...headers}});
}

test('answers requests to a name of this machine, but not requests of web pages', async () => {
  const sessions = httpSessions(newServer, undefined);
  for (const [headers, status] of [
    [{Host: 'localhost:8080'}, 200],
    [{Host: '127.0.0.1:8080'}, 200],
    [{Host: '[::1]:8080'}, 200],
    [{Host: 'attacker.example:8080'}, 403],
    [{Host: 'localhost.attacker.example'}, 403],
    [{Host: ''}, 403],
    [{Host: 'localhost:8080', Origin: 'http://localhost:8080'}, 403],
    [{Host: 'localhost:8080', Origin: 'null'}, 403],
    [{Host: 'localhost:8080', 'Mcp-Session-Id': 'unknown'}, 404],
  ] as const)
    assert.equal((await ask(sessions, headers)).status, status, JSON.stringify(headers));
  await sessions.close();
});

test('answers requests to any name that have the token', async () => {
  const token = 'a'.repeat(64);
  const sessions = httpSessions(newServer, token);
  const Host = 'mcp.example';
  for (const [headers, status] of [
    [{Host}, 401],
    [{Host, Authorization: `Bearer ${'b'.repeat(64)}`}, 401],
    [{Host, Authorization: `Bearer ${token}`}, 200],
    [{Host, Authorization: `Bearer ${token}`, Origin: 'https://mcp.example'}, 403],
  ] as const)
    assert.equal((await ask(sessions, headers)).status, status, JSON.stringify(headers));
  await sessions.close();
});

test('ends the session that was idle the longest if there are more than 64', async () => {
  const sessions = httpSessions(newServer, undefined);
  const ids: string[] = [];
  for (let count = 0; count <= 64; count++) {
    const answer = await ask(sessions, {Host: 'localhost'});
    ids.push(answer.headers.get('Mcp-Session-Id') ?? '');
    await answer.text();
    if (count === 62) await ping(ids[0]);
  }
  assert.deepEqual([await ping(ids[0]), await ping(ids[1]), await ping(ids[64])], [200, 404, 200]);
  await sessions.close();

  async function ping(id = ''): Promise<number> {
    const headers = {Host: 'localhost', 'Mcp-Session-Id': id};
    const answer = await ask(sessions, headers, {jsonrpc: '2.0', id: 2, method: 'ping'});
    await answer.text();
    return answer.status;
  }
});
