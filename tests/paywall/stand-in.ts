import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * How a stand-in answers one of its two operations. With a number it accepts after this many milliseconds, with a
 * promise when it resolves.
 */
export type Manner =
  | 'good'
  | 'hang'
  | 'drop'
  | 'garbage'
  | 'wrong shape'
  | 'error'
  | 'no transaction'
  | {refuse: string; sent?: string}
  | number
  | Promise<void>;

/** A text of a facilitator. It must not be shown to buyers. */
export const secret = 'SECRET-rpc.internal.example-connection-refused';

/** A facilitator that moves no money and behaves as configured, for cases that a real one cannot produce. */
export interface StandIn {
  readonly url: string;
  verify: Manner;
  settle: Manner;
  /** The payments that it reports as supported. */
  networks: readonly string[];
  /** The nonces of all settlement requests in order, including repeated ones. */
  readonly submitted: string[];
  /** The number of requests. */
  asked: number;
  stop(): Promise<void>;
}

interface Order {
  readonly paymentPayload: {payload: {authorization: {from: string; nonce: string}}};
  readonly paymentRequirements: {network: string};
}

/** Starts a stand-in on a port, by default a free one. */
export async function startStandIn(port = 0): Promise<StandIn> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verify: 'good',
    settle: 'good',
    networks: ['eip155:84532'],
    submitted: [],
    asked: 0,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/supported') {
      const kinds = standIn.networks.map(network => ({x402Version: 2, scheme: 'exact', network}));
      send(response, 200, {kinds, extensions: [], signers: {}});
      return;
    }
    standIn.asked += 1;
    const {paymentPayload, paymentRequirements} = JSON.parse(await textOf(request)) as Order;
    const {from, nonce} = paymentPayload.payload.authorization;
    const settles = request.url === '/settle';
    if (settles) standIn.submitted.push(nonce);
    const manner = settles ? standIn.settle : standIn.verify;
    const {network} = paymentRequirements;
    const transaction = manner === 'no transaction' ? '' : `0x${'ab'.repeat(32)}`;
    if (manner === 'hang') return;
    if (manner instanceof Promise) await manner;
    if (manner === 'drop') request.socket.destroy();
    else if (manner === 'garbage') response.end(`<html>${secret}</html>`);
    else if (manner === 'wrong shape') send(response, 200, {isValid: 'yes', success: 'yes', detail: secret});
    else if (manner === 'error') send(response, 500, {error: secret});
    else if (typeof manner === 'object' && 'refuse' in manner) {
      const refusal = settles
        ? {
            success: false,
            errorReason: manner.refuse,
            errorMessage: secret,
            transaction: manner.sent ?? '',
            network,
            payer: from,
          }
        : {isValid: false, invalidReason: manner.refuse, invalidMessage: secret};
      send(response, 200, refusal);
    } else {
      if (typeof manner === 'number') await sleep(manner);
      send(response, 200, settles ? {success: true, transaction, network, payer: from} : {isValid: true, payer: from});
    }
  }
  return standIn;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
