import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop} from '../../buyer/mcp/shop.ts';
import {StdioTransport} from '../../buyer/mcp/stdio-transport.ts';
import {newFolder} from '../buy/stall.ts';

const PING = {jsonrpc: '2.0', id: 1, method: 'ping'};

/** A server on two streams. `ended` resolves with all lines of the output. */
async function session(server: McpServer) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = new Promise<unknown[]>(resolve => {
    server.server.onclose = () => {
      resolve(text().map(line => JSON.parse(line) as unknown));
    };
  });
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const text = () => Buffer.concat(chunks).toString().split('\n').filter(Boolean);
  await server.connect(new StdioTransport(input, output));
  return {input, ended};
}

/** Returns all responses to these lines, after which the input ends. */
async function answersTo(...lines: (object | string | Buffer)[]): Promise<unknown[]> {
  const shop = new Shop({
    ...{origin: 'http://127.0.0.1:1', folder: await newFolder(), askAbove: 0},
    ...{stopping: new AbortController().signal, onError: assert.ifError},
  });
  const {input, ended} = await session(newServer(shop));
  for (const line of lines) {
    input.write(typeof line === 'string' || Buffer.isBuffer(line) ? line : JSON.stringify(line));
    input.write('\n');
  }
  input.end();
  return ended;
}

const initialize = (protocolVersion: string) => ({
  ...{jsonrpc: '2.0', id: 0, method: 'initialize'},
  params: {protocolVersion, capabilities: {}, clientInfo: {name: 'test', version: '1'}},
});
const result = (id: number | string) => ({jsonrpc: '2.0', id, result: {}});

test('continues after a line that is not a message', async () => {
  const lines = ['not json', '{"jsonrpc": "2.0", "id": 7', Buffer.from([0x22, 0xff, 0x22]), '42', 'null', '{}', ''];
  assert.deepEqual(await answersTo(...lines, '\r', PING), [result(1)]);
});

test('does not answer a cancelled request', async () => {
  const cancel = {jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: 5}};
  const call = {jsonrpc: '2.0', id: 5, method: 'tools/call', params: {name: 'list_products', arguments: {}}};
  assert.deepEqual(await answersTo(call, cancel, PING), [result(1)]);
});

test('finishes running calls after the input has ended, and does not wait for responses of the client', async () => {
  const server = new McpServer({name: 'test', version: '1'});
  const done: string[] = [];
  server.registerTool('slow', {inputSchema: {}}, async () => {
    await new Promise(resolve => setTimeout(resolve, 50));
    done.push('slow');
    return {content: [{type: 'text', text: 'done'}]};
  });
  server.registerTool('asking', {inputSchema: {}}, async () => {
    const requestedSchema = {type: 'object' as const, properties: {}};
    const {action} = await server.server
      .elicitInput({message: 'May I?', requestedSchema})
      .catch(() => ({action: 'gone'}));
    done.push(action);
    return {content: [{type: 'text', text: action}]};
  });
  const {input, ended} = await session(server);
  const start = initialize('2025-06-18');
  const params = {...start.params, capabilities: {elicitation: {}}};
  for (const line of [
    {...start, params},
    {jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: 'slow', arguments: {}}},
    {jsonrpc: '2.0', id: 2, method: 'tools/call', params: {name: 'asking', arguments: {}}},
  ])
    input.write(`${JSON.stringify(line)}\n`);
  setTimeout(() => input.end(), 10);
  const answers = await ended;
  assert.deepEqual(done.sort(), ['gone', 'slow']);
  const ids = answers.flatMap(answer => ('result' in (answer as object) ? [(answer as {id: number}).id] : []));
  assert.deepEqual(new Set(ids), new Set([0, 1, 2]));
});
