import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {newServer} from '../../buyer/mcp/server.ts';
import {Shop} from '../../buyer/mcp/shop.ts';
import {StdioTransport} from '../../buyer/mcp/stdio-transport.ts';
import {newFolder} from '../buy/stall.ts';

const PING = {jsonrpc: '2.0', id: 1, method: 'ping'};

/** A server on two streams; `ended` holds every line of the output. */
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

/** Every answer to these lines, after which the input ends without a line feed. */
async function answersTo(...lines: (object | string | Buffer)[]): Promise<unknown[]> {
  const shop = new Shop({
    ...{origin: 'http://127.0.0.1:1', folder: await newFolder(), askAbove: 0},
    ...{stopping: new AbortController().signal, onError: assert.ifError},
  });
  const {input, ended} = await session(newServer(shop));
  for (const [at, line] of lines.entries()) {
    if (at > 0) input.write('\n');
    input.write(typeof line === 'string' || Buffer.isBuffer(line) ? line : JSON.stringify(line));
  }
  input.end();
  return ended;
}

const initialize = (protocolVersion: string) => ({
  ...{jsonrpc: '2.0', id: 0, method: 'initialize'},
  params: {protocolVersion, capabilities: {}, clientInfo: {name: 'test', version: '1'}},
});
const result = (id: number | string) => ({jsonrpc: '2.0', id, result: {}});

/** Id and code of each answer. */
const codes = (answers: readonly unknown[]) =>
  answers.map(answer => {
    const {id, error} = answer as {id: unknown; error?: {code: number}};
    return [id, error?.code];
  });

test('answers a line that is no message with an error, and goes on', async () => {
  const table: [line: string | object | Buffer, id: unknown, code: number][] = [
    ['not json', null, -32700],
    ['{"jsonrpc": "2.0", "id": 7', null, -32700],
    [Buffer.from([0x22, 0xff, 0x22]), null, -32700],
    [' '.repeat(11 * 1024 * 1024) + '1', null, -32700],
    ['42', null, -32600],
    ['null', null, -32600],
    ['{}', null, -32600],
    [[PING], null, -32600],
    [{jsonrpc: '2.0', id: 7}, 7, -32600],
    [{jsonrpc: '1.0', id: 'a', method: 'ping'}, 'a', -32600],
    [{jsonrpc: '2.0', id: null, method: 'ping'}, null, -32600],
    [{jsonrpc: '2.0', id: 7, method: 'nothing'}, 7, -32601],
  ];
  const answers = await answersTo(...table.map(([line]) => line), '', '\r', PING);
  // The refusals are written at once, the answers of the server a little later.
  const sorted = (list: readonly unknown[]) => list.map(one => JSON.stringify(one)).sort();
  assert.deepEqual(sorted(codes(answers)), sorted([...table.map(([, id, code]) => [id, code]), [1, undefined]]));
});

test('leaves out a request that is cancelled', async () => {
  const cancel = {jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: 5}};
  const call = {jsonrpc: '2.0', id: 5, method: 'tools/call', params: {name: 'list_products', arguments: {}}};
  assert.deepEqual(await answersTo(call, cancel, PING), [result(1)]);
});

test('answers an unknown tool, and parameters that lack a member, with -32602', async () => {
  const calls = [
    {method: 'tools/call', params: {name: 'nothing', arguments: {}}},
    {method: 'tools/call', params: {name: 'constructor'}},
    {method: 'tools/call', params: {arguments: {}}},
    {method: 'tools/call', params: {name: 7}},
    {method: 'tools/call', params: {name: 'list_owned', arguments: 'all'}},
    {method: 'tools/call'},
    {method: 'resources/read', params: {}},
  ].map((call, id) => ({jsonrpc: '2.0', id, ...call}));
  const answers = await answersTo(...calls);
  assert.deepEqual(
    codes(answers),
    calls.map(({id}) => [id, -32602]),
  );
  assert.match(JSON.stringify(answers), /unknown tool .*nothing.*The tools are list_products, /);
});

test('finishes running calls after the input has ended, and waits for no answer of the client', async () => {
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
