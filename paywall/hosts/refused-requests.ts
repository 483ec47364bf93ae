import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {accessLine, type AccessLine} from '../http/access-log.ts';

type Log = (line: AccessLine) => void;

/** An error of Node's parser, and the bytes it stopped in. */
type ParseError = NodeJS.ErrnoException & {readonly rawPacket?: Buffer};

const UNKNOWN = '-';
const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  [TIMEOUT]: '408 Request Timeout',
};

/** Answers the requests that Node passes to no handler as Node does, and logs each. */
export function answerRefused(server: Server, log: Log = () => undefined): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({socket}, answer) => answers.set(socket, answer));

  server.on('clientError', (error: ParseError, socket) => {
    const answer = answers.get(socket);
    // Node reads the body of a request after the answer, so the request is not late while the answer is prepared or sent.
    if (error.code === TIMEOUT && answer && !answer.writableFinished) {
      answer.once('finish', () => socket.end());
      return;
    }
    const isAnswering = answer?.headersSent && !answer.writableFinished;
    const hungUp = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    if (hungUp || !socket.writable || isAnswering) socket.destroy(error);
    if (hungUp) return;
    const status = statuses[error.code ?? ''] ?? '400 Bad Request';
    log(lineOf(status, ...requestIn(error.rawPacket)));
    if (!socket.destroyed) refuse(socket, status);
  });
  // Without these listeners, Node answers 417 itself, and closes the connection of a CONNECT without an answer.
  server.on('checkExpectation', ({method, url}: IncomingMessage, outgoing: ServerResponse) => {
    log(lineOf('417', method, url));
    outgoing.writeHead(417, {Connection: 'close'}).end();
  });
  server.on('connect', ({method, url}, socket) => {
    log(lineOf('405', method, url));
    refuse(socket, '405 Method Not Allowed');
  });
}

/**
 * Logs a request that is answered before it reaches the gate, because its target or Host is malformed.
 *
 * @param isSeen returns true if the gate received the request, and therefore logged it
 */
export function logUnseen(incoming: IncomingMessage, outgoing: ServerResponse, isSeen: () => boolean, log: Log): void {
  const {method, url} = incoming;
  outgoing.once('finish', () => {
    if (!isSeen()) log(lineOf(String(outgoing.statusCode), method, url));
  });
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => undefined); // the client may be gone
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function lineOf(status: string, method = UNKNOWN, target = UNKNOWN): AccessLine {
  return accessLine({start: Date.now(), method, target, status: Number.parseInt(status, 10), kind: 'unknown'});
}

/** The method and the target of a request, or nothing if the bytes do not begin with them. */
function requestIn(bytes: Buffer | undefined): string[] {
  const [, method, target] = /^([A-Z]{1,20}) ([!-~]+)/.exec(bytes?.toString('latin1', 0, 2000) ?? '') ?? [];
  return method !== undefined && target !== undefined ? [method, target] : [];
}
