import type {RequestId} from '@modelcontextprotocol/sdk/types.js';

/** The SDK takes as many over HTTP. */
const MOST_MESSAGES = 100;
/** Later protocols have no batches. */
const LAST_VERSION = '2025-03-26';

/**
 * Returns why an array of messages is not a batch, or undefined if it is one.
 *
 * @param version the protocol version that was agreed on; undefined before `initialize`
 */
export function batchFault(messages: readonly unknown[], version: string | undefined): string | undefined {
  if (version !== undefined && version > LAST_VERSION) return `batches are not part of protocol ${version}`;
  if (messages.length === 0) return 'the batch is empty';
  if (messages.length > MOST_MESSAGES) return `the batch has more than ${MOST_MESSAGES} messages`;
  const isInitialize = (one: unknown) =>
    typeof one === 'object' && one !== null && 'method' in one && one.method === 'initialize';
  return messages.some(isInitialize) ? 'initialize must not be part of a batch' : undefined;
}

/** Collects the responses to a batch. They are sent together, as JSON-RPC demands; a batch without requests gets no answer. */
export class Batch {
  readonly #send: (answers: readonly object[]) => void;
  readonly #answers: object[] = [];
  readonly #open = new Set<RequestId>();
  #isClosed = false;

  constructor(send: (answers: readonly object[]) => void) {
    this.#send = send;
  }

  expect(id: RequestId): void {
    this.#open.add(id);
  }

  add(answer: object): void {
    this.#answers.push(answer);
  }

  /** A request is answered, or cancelled. */
  settle(id: RequestId): void {
    this.#open.delete(id);
    this.#sendIfDone();
  }

  /** The batch has no more messages. */
  close(): void {
    this.#isClosed = true;
    this.#sendIfDone();
  }

  #sendIfDone(): void {
    if (!this.#isClosed || this.#open.size > 0) return;
    if (this.#answers.length > 0) this.#send(this.#answers.splice(0));
  }
}
