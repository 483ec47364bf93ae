import type {IncomingMessage, ServerResponse} from 'node:http';
import {getRequestListener} from '@hono/node-server';
import type {HttpBindings} from '@hono/node-server';
import type {AccessLine} from '../http/access-log.ts';
import {subnetOf} from '../http/client.ts';
import {problem} from '../http/problem.ts';
import type {Sending} from '../payments/sales/lease.ts';
import type {CurrentGate} from './current-gate.ts';
import {logUnseen} from './refused-requests.ts';
import {resolveTarget} from './request-target.ts';

export interface ListenerOptions {
  readonly onError: (error: Error) => void;
  readonly log?: ((line: AccessLine) => void) | undefined;
  /** The request header in which the proxy in front of the gate sends the client's address. */
  readonly clientAddressHeader?: string | undefined;
}

/** Answers requests of Node's server by the current gate, and logs those that never reach it. */
export function listenerFor(current: CurrentGate, {onError, log, clientAddressHeader}: ListenerOptions) {
  const seen = new WeakSet<IncomingMessage>();
  const answer = getRequestListener(
    (request, env) => {
      const {incoming, outgoing} = env as HttpBindings;
      seen.add(incoming);
      const clientAddress = clientAddressOf(incoming, clientAddressHeader);
      return current.gate.fetch(request, {target: incoming.url, clientAddress, sent: () => sentBy(outgoing)});
    },
    {
      errorHandler(error) {
        // The listener throws this if target and host do not form a URL.
        if (error instanceof Error && error.name === 'RequestError') {
          return problem({status: 400, title: 'Bad request', detail: 'The request target or Host is malformed.'});
        }
        onError(error instanceof Error ? error : new Error(String(error)));
        return problem({status: 500, title: 'Internal error', detail: 'Something is wrong with this server.'});
      },
    },
  );
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (log) logUnseen(incoming, outgoing, () => seen.has(incoming), log);
    resolveTarget(incoming);
    return answer(incoming, outgoing);
  };
}

/**
 * Returns the address of the connection, or if a header is configured, the last address in it: the proxy in front of the gate added that
 * one, and the client may have sent the others.
 */
function clientAddressOf({headers, socket}: IncomingMessage, header: string | undefined): string {
  const sent = header && [headers[header.toLowerCase()] ?? []].flat().at(-1)?.split(',').at(-1)?.trim();
  // A closed connection no longer has an address.
  return sent && subnetOf(sent) ? sent : (socket.remoteAddress ?? 'disconnected');
}

/** Resolves when an answer that is about to be written has left the process, or was cut off. */
function sentBy(outgoing: ServerResponse): Promise<Sending> {
  const {socket} = outgoing;
  return new Promise(resolve => {
    // Node also emits `finish` if a broken connection dropped the bytes.
    outgoing.once('finish', () => {
      resolve(socket?.errored || socket?.destroyed ? 'cut off' : 'delivered');
    });
    outgoing.once('close', () => {
      resolve('cut off');
    });
    if (outgoing.destroyed) resolve('cut off');
  });
}
