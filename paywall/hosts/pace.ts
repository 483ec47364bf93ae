import type {Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {Duplex} from 'node:stream';

/** Ends the head of every request. Node's parser takes no other line ends (RFC 9112, section 2.2). */
const BLANK_LINE = '\r\n\r\n';
/** No request is shorter: bytes of blank lines alone are not handed on one by one. */
const SHORTEST_REQUEST = 18;

/** As much of a large answer is sent at a time, so that five hundred of them do not keep everybody else waiting. */
const SLICE_BYTES = 64 * 1024;

type Done = (error?: Error | null) => void;
type Chunk = Buffer | string;

interface Written {
  readonly chunk: Chunk;
  readonly encoding: BufferEncoding;
}

/**
 * Makes a server work on one request of a connection at a time. Node's parser takes in all that one read has brought,
 * some two thousand pipelined requests, and each gets an answer in memory, whether the client reads any or not. Here the
 * parser gets the next request when the answer before it has left this process (the next two where a read ended inside a
 * blank line), and nothing is read in between.
 *
 * Requests that wait behind others of their connection, and the later parts of large answers, are worked on one for each
 * turn of the event loop, over all connections: who sends one request at a time and gets a small answer waits for none.
 *
 * A handler that waits for the body of a request waits for ever: no handler of the gate reads one.
 */
export function pace(server: Server): void {
  const turns = new Turns();
  const handlers = server.listeners('connection') as ((socket: Duplex) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const paced = new PacedConnection(socket, turns);
    // Node documents that any duplex stream may be handed to an HTTP server.
    for (const handle of handlers) handle.call(server, paced);
  });
  server.prependListener('request', ({socket}, answer) => {
    if (socket instanceof PacedConnection) socket.answeredBy(answer);
  });
}

/** Work that is in no hurry: one piece for each turn of the event loop, in the order it came. */
class Turns {
  readonly #waiting = new Set<() => void>();

  take(work: () => void): void {
    this.#waiting.add(work);
    if (this.#waiting.size === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const [work] = this.#waiting;
    if (!work) return;
    this.#waiting.delete(work);
    if (this.#waiting.size > 0) setImmediate(this.#next);
    work();
  };
}

/** A connection as the HTTP parser sees it: what was read is handed on up to the end of one request at a time. */
class PacedConnection extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly #socket: Socket;
  readonly #turns: Turns;
  /** Read from the socket and not handed on. The socket is paused while there is any. */
  #rest: Buffer | undefined;
  #ended = false;
  #isWanted = false;
  #answers = 0;

  constructor(socket: Socket, turns: Turns) {
    super({decodeStrings: false, readableHighWaterMark: 1});
    [this.#socket, this.#turns, this.remoteAddress] = [socket, turns, socket.remoteAddress];
    socket.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
      this.#handOn();
      this.#pauseWhileFull();
    });
    socket.on('end', () => {
      this.#ended = true;
      this.#handOn();
    });
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', error => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Told of every answer that is begun on this connection. */
  answeredBy(answer: ServerResponse): void {
    this.#answers += 1;
    answer.once('close', () => {
      this.#answers -= 1;
      this.#handOnInTurn();
    });
  }

  /** Of the socket: it knows what has been read and written. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#socket.setTimeout(ms);
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  }

  /** Closes once all that was written is sent. */
  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy()).end();
  }

  readonly #handOnInTurn = (): void => {
    if (this.#rest) this.#turns.take(this.#handOn);
    else this.#handOn();
  };

  readonly #handOn = (): void => {
    if (this.destroyed) return;
    if (this.#rest && this.#isWanted && this.#answers === 0 && this.writableLength === 0) {
      this.#isWanted = false;
      this.push(this.#takeRequest(this.#rest));
    }
    if (this.#rest) return;
    // Read on at once: a client that hangs up is noticed while its answer is made.
    if (this.#ended) this.push(null);
    else if (this.#socket.isPaused()) this.#socket.resume();
  };

  #pauseWhileFull(): void {
    if (this.#rest) this.#socket.pause();
  }

  #takeRequest(rest: Buffer): Buffer {
    const found = rest.indexOf(BLANK_LINE, SHORTEST_REQUEST - BLANK_LINE.length);
    const end = found === -1 ? rest.length : found + BLANK_LINE.length;
    this.#rest = end < rest.length ? rest.subarray(end) : undefined;
    return rest.subarray(0, end);
  }

  /** The parser has taken in what it was given. */
  override _read(): void {
    this.#isWanted = true;
    this.#handOnInTurn();
  }

  override _write(chunk: Chunk, encoding: BufferEncoding, done: Done): void {
    this.#send(slicesOf({chunk, encoding}), done);
  }

  override _writev(chunks: Written[], done: Done): void {
    this.#send(chunks.flatMap(slicesOf), done);
  }

  /** Sends what fits into a slice, and the rest of a large answer in turn, when that is taken. */
  #send(slices: Written[], done: Done): void {
    const whenTaken: Done = error => {
      if (!error && slices.length > 0) {
        this.#turns.take(() => {
          this.#send(slices, done);
        });
        return;
      }
      done(error);
      this.#handOnInTurn();
    };
    this.#socket.cork();
    for (let [room, slice] = [SLICE_BYTES, slices.shift()]; slice; slice = slices.shift()) {
      room -= slice.chunk.length;
      const isLast = room <= 0 || slices.length === 0;
      this.#socket.write(slice.chunk, slice.encoding, isLast ? whenTaken : undefined);
      if (isLast) break;
    }
    this.#socket.uncork();
  }

  override _final(done: Done): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = undefined;
    this.#socket.destroy();
    done(error);
  }
}

function slicesOf({chunk, encoding}: Written): Written[] {
  if (typeof chunk === 'string' || chunk.length <= SLICE_BYTES) return [{chunk, encoding}];
  const count = Math.ceil(chunk.length / SLICE_BYTES);
  return Array.from({length: count}, (_, index) => ({
    chunk: chunk.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
    encoding,
  }));
}
