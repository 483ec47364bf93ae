import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {accessLine, type AccessLine} from '../http/access-log.ts';

type Log = (line: AccessLine) => void;

/** An error of Node's parser, and the bytes it stopped in. */
type ParseError = NodeJS.ErrnoException & {readonly rawPacket?: Buffer};

const NOBODY_KNOWS = '-';
const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers the requests that Node hands to no handler, as it does itself, and writes a line for each. */
export function answerRefused(server: Server, log: Log = () => undefined): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({socket}, answer) => answers.set(socket, answer));

  server.on('clientError', (error: ParseError, socket) => {
    const answer = answers.get(socket);
    const isAnswering = answer?.headersSent && !answer.writableFinished;
    const hungUp = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    if (hungUp || !socket.writable || isAnswering) socket.destroy(error);
    if (hungUp) return;
    const status = statuses[error.code ?? ''] ?? '400 Bad Request';
    log(lineOf(status, ...requestIn(error.rawPacket)));
    if (!socket.destroyed) refuse(socket, status);
  });
  // Without a listener Node answers the first itself and closes the second without a word.
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
 * Writes a line for a request that ends before the gate has seen it, for a malformed target or Host.
 *
 * @param isSeen whether the gate has got the request, and so has written a line
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

function lineOf(status: string, method = NOBODY_KNOWS, target = NOBODY_KNOWS): AccessLine {
  return accessLine({start: Date.now(), method, target, status: Number.parseInt(status, 10), kind: 'unknown'});
}

/** Method and target, where the bytes begin with them. */
function requestIn(bytes: Buffer | undefined): string[] {
  const [, method, target] = /^([A-Z]{1,20}) ([!-~]+)/.exec(bytes?.toString('latin1', 0, 2000) ?? '') ?? [];
  return method !== undefined && target !== undefined ? [method, target] : [];
}
