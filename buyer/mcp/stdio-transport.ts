import type {Readable, Writable} from 'node:stream';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  JSONRPCMessageSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import {Batch, batchFault} from './batch.ts';
import {linesOf} from './stdio-lines.ts';

type Response = Extract<JSONRPCMessage, {result: unknown}> | Extract<JSONRPCMessage, {error: unknown}>;

/**
 * MCP over standard input and output. It differs from the SDK's transport in that it answers batches (protocol 2025-03-26), answers lines that
 * are no message with an error instead of silence, and finishes running requests after the end of the input.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  /** Running requests of the client, with the batch that each belongs to. */
  readonly #running = new Map<RequestId, Batch | undefined>();
  /** Requests to the client that it has not answered. */
  readonly #asked = new Set<RequestId>();
  #initialize: RequestId | undefined;
  /** The protocol version that was agreed on. */
  #version: string | undefined;
  #isEnded = false;

  constructor(input: Readable, output: Writable) {
    [this.#input, this.#output] = [input, output];
  }

  start(): Promise<void> {
    this.#output.on('error', () => void this.close());
    void this.#read().catch((error: unknown) => this.onerror?.(error as Error));
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    try {
      for await (const line of linesOf(this.#input)) this.#take(line);
    } finally {
      this.#isEnded = true;
      // Nothing can answer these any more.
      const error = {code: ErrorCode.ConnectionClosed, message: 'The client has closed its output'};
      for (const id of this.#asked) this.onmessage?.({jsonrpc: '2.0', id, error});
      this.#closeIfDone();
    }
  }

  #take(line: string | undefined): void {
    const read = line === undefined ? undefined : parsed(line);
    if (!read) {
      this.#refuse(ErrorCode.ParseError, 'Parse error: the line is not JSON');
    } else if (Array.isArray(read.value)) {
      this.#takeBatch(read.value);
    } else {
      this.#takeOne(read.value);
    }
  }

  #takeBatch(messages: readonly unknown[]): void {
    const fault = batchFault(messages, this.#version);
    if (fault !== undefined) {
      this.#refuse(ErrorCode.InvalidRequest, `Invalid request: ${fault}`);
      return;
    }
    const batch = new Batch(answers => void this.#write(answers));
    for (const one of messages) this.#takeOne(one, batch);
    batch.close();
  }

  #takeOne(value: unknown, batch?: Batch): void {
    const {data: message} = JSONRPCMessageSchema.safeParse(value);
    if (!message) {
      const id = (value as {id?: unknown} | null)?.id;
      this.#refuse(ErrorCode.InvalidRequest, 'Invalid request: not a message of JSON-RPC 2.0', id, batch);
      return;
    }
    if (isRequest(message)) {
      if (this.#running.has(message.id)) {
        const fault = 'Invalid request: the id belongs to a running request';
        this.#refuse(ErrorCode.InvalidRequest, fault, undefined, batch);
        return;
      }
      this.#running.set(message.id, batch);
      batch?.expect(message.id);
      if (message.method === 'initialize') this.#initialize = message.id;
    } else if ('id' in message && message.id !== undefined) {
      this.#asked.delete(message.id);
    }
    this.onmessage?.(message);
    // A cancelled request gets no response.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId'] as RequestId);
  }

  /** Sends an error, with the id that the refused message has if that is a valid one. */
  #refuse(code: number, message: string, id?: unknown, batch?: Batch): void {
    const isId = typeof id === 'string' || Number.isSafeInteger(id);
    const answer = {jsonrpc: '2.0', id: isId ? id : null, error: {code, message}};
    if (batch) batch.add(answer);
    else void this.#write(answer);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) {
      if (this.#isEnded) return Promise.reject(new Error('The client has closed its output'));
      this.#asked.add(message.id);
    }
    if (!isResponse(message)) return this.#write(message);
    if (message.id === this.#initialize && 'result' in message)
      this.#version = String(message.result['protocolVersion']);
    const batch = message.id === undefined ? undefined : this.#running.get(message.id);
    if (!batch) {
      const written = this.#write(message);
      this.#settle(message.id);
      return written;
    }
    batch.add(message);
    this.#settle(message.id);
    return Promise.resolve();
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#running.get(id)?.settle(id);
    this.#running.delete(id);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#isEnded && this.#running.size === 0) void this.close();
  }

  #write(message: object): Promise<void> {
    return new Promise(resolve =>
      this.#output.write(`${JSON.stringify(message)}\n`, () => {
        resolve();
      }),
    );
  }

  close(): Promise<void> {
    this.#input.destroy();
    const {onclose} = this;
    delete this.onclose;
    onclose?.();
    return Promise.resolve();
  }
}

function parsed(line: string): {readonly value: unknown} | undefined {
  try {
    return {value: JSON.parse(line)};
  } catch {
    return undefined; // answered as a parse error
  }
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

function isResponse(message: JSONRPCMessage): message is Response {
  return !('method' in message);
}
