import type {Hono} from 'hono';
import type {GateEnv} from '../http/gate-env.ts';
import type {Sending} from '../payments/sales/lease.ts';

/** Answers a request to a Worker, and lets the gate finish its work although the client disconnects. */
export async function answerInWorker(
  gate: Pick<Hono<GateEnv>, 'fetch'>,
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Response> {
  const delivery = new Delivery(request.signal);
  // Cloudflare sets this header, and overwrites one that a client sends.
  const clientAddress = request.headers.get('CF-Connecting-IP') ?? undefined;
  const answering = Promise.resolve(gate.fetch(request, {clientAddress, sent: () => delivery.sent()}));
  // If the client disconnects, the runtime stops the request at its next await, and nothing would release counters and leases.
  waitUntil(answering.catch(() => undefined));
  return delivery.of(await answering);
}

/** Follows an answer until it is sent, if the gate asks for that. */
class Delivery {
  readonly #hungUp: AbortSignal;
  #resolve: ((sending: Sending) => void) | undefined;

  /** @param hungUp aborted when the client disconnects, which the runtime does not always report to the stream */
  constructor(hungUp: AbortSignal) {
    this.#hungUp = hungUp;
  }

  /** Never `delivered`, because the runtime accepts a small answer even if the client has disconnected. */
  sent(): Promise<Sending> {
    return new Promise(resolve => {
      this.#resolve = resolve;
      if (this.#hungUp.aborted) resolve('cut off');
      this.#hungUp.addEventListener('abort', () => {
        resolve('cut off');
      });
    });
  }

  of(response: Response): Response {
    const resolve = this.#resolve;
    if (!resolve || !response.body) return response;
    const {readable, writable} = new FixedLengthStream(Number(response.headers.get('Content-Length')));
    void response.body.pipeTo(writable).then(
      () => {
        resolve(this.#hungUp.aborted ? 'cut off' : 'unknown');
      },
      () => {
        resolve('cut off');
      },
    );
    return new Response(readable, response);
  }
}
