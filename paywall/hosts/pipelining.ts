import type {Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';

/** Ends the head of every request. Node's parser accepts no other line ends (RFC 9112, section 2.2). */
const BLANK_LINE = '\r\n\r\n';
/** The length of the shortest request. */
const SHORTEST_REQUEST = 18;

/**
 * Makes a server parse the next request of a connection only after it has sent the answer before. Node's parser creates objects for all
 * requests that one read brings, up to some two thousand: 500 connections that pipeline would take 2 GB and block the process for half a
 * minute. Here the bytes behind the first request go back into the socket's buffer, which is bounded, and the socket is paused.
 *
 * Of the requests that waited, one is parsed in each turn of the event loop, so that other clients are answered in between.
 */
export function limitPipelining(server: Server): void {
  const connections = new WeakMap<Socket, Connection>();
  const inTurn = oneEachTurn();
  server.on('connection', (socket: Socket) => connections.set(socket, new Connection(socket, inTurn)));
  server.prependListener('request', ({socket}, answer) => connections.get(socket)?.wait(answer));
}

type InTurn = (work: () => void) => void;

/** Returns a function that runs the work it receives in order, one piece in each turn of the event loop. */
function oneEachTurn(): InTurn {
  const waiting = new Set<() => void>();
  const runNext = () => {
    const [work] = waiting;
    if (!work) return;
    waiting.delete(work);
    if (waiting.size > 0) setImmediate(runNext);
    work();
  };
  return work => {
    waiting.add(work);
    if (waiting.size === 1) setImmediate(runNext);
  };
}

/** Passes what a socket reads to Node's parser, one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #inTurn: InTurn;
  readonly #parse: (chunk: Buffer) => void;
  #answers = 0;
  /** True from when bytes go back into the buffer until a later turn of the event loop in which every answer is sent. */
  #isHeld = false;

  constructor(socket: Socket, inTurn: InTurn) {
    [this.#socket, this.#inTurn] = [socket, inTurn];
    [this.#parse] = socket.listeners('data') as [(chunk: Buffer) => void]; // added by Node's server
    socket.removeListener('data', this.#parse);
    socket.on('data', this.#read);
    // The parser resumes the socket after each request.
    socket.on('resume', () => {
      if (this.#isHeld) socket.pause();
    });
  }

  /** Holds the requests behind an answer until it is sent. */
  wait(answer: ServerResponse): void {
    this.#answers += 1;
    answer.once('close', () => {
      this.#answers -= 1;
      if (this.#isHeld && this.#answers === 0) this.#inTurn(this.#continue);
    });
  }

  readonly #read = (chunk: Buffer): void => {
    if (!this.#socket.writable) return; // the last answer closes the connection
    const wasHeld = this.#isHeld;
    const length = wasHeld || this.#answers > 0 ? 0 : lengthOfRequest(chunk);
    if (length < chunk.length) {
      this.#isHeld = true;
      this.#socket.pause().unshift(chunk.subarray(length));
    }
    if (length > 0) this.#parse(chunk.subarray(0, length));
    if (this.#isHeld && !wasHeld && this.#answers === 0) this.#inTurn(this.#continue);
  };

  readonly #continue = (): void => {
    this.#isHeld = false;
    this.#socket.resume();
  };
}

/** The length of the first request, or of all bytes if they contain no end of a head. */
function lengthOfRequest(bytes: Buffer): number {
  const found = bytes.indexOf(BLANK_LINE, SHORTEST_REQUEST - BLANK_LINE.length);
  return found === -1 ? bytes.length : found + BLANK_LINE.length;
}
