import type {Readable, Writable} from 'node:stream';
import {StdioServerTransport} from '@modelcontextprotocol/sdk/server/stdio.js';
import {ErrorCode, type JSONRPCMessage, type JSONRPCRequest, type RequestId} from '@modelcontextprotocol/sdk/types.js';

/** MCP over standard input and output. Unlike the SDK's transport, it closes after the end of the input, once running requests are answered. */
export class StdioTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #running = new Set<RequestId>();
  /** Requests to the client without an answer. */
  readonly #asked = new Set<RequestId>();
  #isEnded = false;

  constructor(input: Readable, output: Writable) {
    super(input, output);
    [this.#input, this.#output] = [input, output];
  }

  override start(): Promise<void> {
    const receive = this.onmessage;
    this.onmessage = message => {
      if (isRequest(message)) this.#running.add(message.id);
      else if ('id' in message && message.id !== undefined) this.#asked.delete(message.id);
      receive?.(message);
      // A cancelled request gets no response.
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId'] as RequestId);
    };
    this.#input.once('end', () => {
      this.#end();
    });
    this.#output.on('error', () => void this.close());
    return super.start();
  }

  override send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) {
      if (this.#isEnded) return Promise.reject(new Error('The client has closed its output'));
      this.#asked.add(message.id);
    }
    const written = super.send(message);
    if (!('method' in message)) this.#settle(message.id);
    return written;
  }

  /** The client cannot answer any more. */
  #end(): void {
    this.#isEnded = true;
    const error = {code: ErrorCode.ConnectionClosed, message: 'The client has closed its output'};
    for (const id of this.#asked) this.onmessage?.({jsonrpc: '2.0', id, error});
    this.#settle(undefined);
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#running.delete(id);
    if (this.#isEnded && this.#running.size === 0) void this.close();
  }
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}
