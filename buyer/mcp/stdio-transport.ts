import type {Readable, Writable} from 'node:stream';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  JSONRPCMessageSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import {linesOf} from './stdio-lines.ts';

type Response = Extract<JSONRPCMessage, {result: unknown}> | Extract<JSONRPCMessage, {error: unknown}>;

/**
 * MCP over standard input and output. Unlike the SDK's transport, it answers invalid lines with an error, and finishes running requests
 * after the end of the input.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  /** Running requests of the client. */
  readonly #running = new Set<RequestId>();
  /** Requests to the client without an answer. */
  readonly #asked = new Set<RequestId>();
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
      // The client cannot answer these any more.
      const error = {code: ErrorCode.ConnectionClosed, message: 'The client has closed its output'};
      for (const id of this.#asked) this.onmessage?.({jsonrpc: '2.0', id, error});
      this.#closeIfDone();
    }
  }

  #take(line: string | undefined): void {
    const read = line === undefined ? undefined : parsed(line);
    if (!read) {
      this.#refuse(ErrorCode.ParseError, 'Parse error: the line is not JSON');
      return;
    }
    const {data: message} = JSONRPCMessageSchema.safeParse(read.value);
    if (!message) {
      const id = (read.value as {id?: unknown} | null)?.id;
      this.#refuse(ErrorCode.InvalidRequest, 'Invalid request: not a message of JSON-RPC 2.0', id);
      return;
    }
    if (isRequest(message)) {
      if (this.#running.has(message.id)) {
        this.#refuse(ErrorCode.InvalidRequest, 'Invalid request: the id belongs to a running request');
        return;
      }
      this.#running.add(message.id);
    } else if ('id' in message && message.id !== undefined) {
      this.#asked.delete(message.id);
    }
    this.onmessage?.(message);
    // A cancelled request gets no response.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId'] as RequestId);
  }

  /** Sends an error with the id of the refused message, if that is valid. */
  #refuse(code: number, message: string, id?: unknown): void {
    const isId = typeof id === 'string' || Number.isSafeInteger(id);
    void this.#write({jsonrpc: '2.0', id: isId ? id : null, error: {code, message}});
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) {
      if (this.#isEnded) return Promise.reject(new Error('The client has closed its output'));
      this.#asked.add(message.id);
    }
    const written = this.#write(message);
    if (isResponse(message)) this.#settle(message.id);
    return written;
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined) return;
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
