import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import assert from 'node:assert/strict';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {ElicitRequestSchema, type CallToolResult} from '@modelcontextprotocol/sdk/types.js';
import {FROZEN, PROJECT} from '../project.ts';

/** The answers of a person: a word for each question. */
export type Person = (question: string) => 'yes' | 'no' | 'cancel';

/** The result of a tool. */
export interface Reported {
  readonly isError: boolean;
  readonly text: string;
  /** The structured content. A test names the expected members. */
  readonly facts: Record<string, unknown> & {
    readonly budget?: {readonly left: string; readonly left_usd: number; readonly can_buy: boolean};
  };
}

/** A stock client of the SDK. `await using` stops it and the server that it started. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  /** The process id of the server, if the client started it. */
  readonly pid: number | null;
  /** All errors in the output of the server. */
  readonly errors: Error[];
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<Reported>;
}

const environment = {PATH: process.env['PATH'] ?? '', FROZEN_RPC_URL: '', FROZEN_BUYER_KEY: ''};

/** Starts `frozen mcp` as clients do, over standard input and output. */
export function stdioAgent(args: readonly string[], env: Record<string, string> = {}, person?: Person): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [FROZEN, 'mcp', ...args],
    cwd: PROJECT,
    env: {...environment, ...env},
    stderr: 'ignore',
  });
  return connected(transport, person, () => transport.pid);
}

/** Returns a client of a server over HTTP. */
export function httpAgent(address: string, token?: string, person?: Person): Promise<Agent> {
  const headers = token === undefined ? {} : {Authorization: `Bearer ${token}`};
  const transport = new StreamableHTTPClientTransport(new URL(address), {requestInit: {headers}});
  return connected(transport, person, () => null);
}

async function connected(transport: Transport, person: Person | undefined, pid: () => number | null) {
  const client = new Client({name: 'test', version: '1'}, {capabilities: person ? {elicitation: {}} : {}});
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({params}) => {
      const word = person(params.message);
      return word === 'yes' ? {action: 'accept', content: {buy: true}} : {action: word === 'no' ? 'decline' : 'cancel'};
    });
  const errors: Error[] = [];
  client.onerror = error => errors.push(error);
  await client.connect(transport);
  const agent: Agent = {
    ...{client, errors, pid: pid()},
    async call(tool, input = {}, signal) {
      const result = await client.callTool({name: tool, arguments: input}, undefined, signal && {signal});
      const {isError = false, content, structuredContent = {}} = result as CallToolResult;
      const [block] = content;
      assert.ok(block?.type === 'text');
      return {isError, text: block.text, facts: structuredContent};
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
  return agent;
}

/** Starts `frozen mcp --port 0`, and returns its address. */
export async function httpServer(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [FROZEN, 'mcp', '--port', '0', ...args], {
    cwd: PROJECT,
    env: {...environment, ...env},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({input: child.stderr})) {
    lines.push(line);
    const [, address] = /^Listening on (\S+)$/.exec(line) ?? [];
    if (address !== undefined)
      return {
        address,
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM');
          await exited;
        },
      };
  }
  throw new Error(lines.join('\n'));
}
