import {sleep} from '../../paywall/payments/services.ts';
import type {Random} from './random.ts';
import {workFor} from './requests.ts';

/** Answers requests to one host. */
export type Handler = (request: {readonly path: string; readonly body: string}) => Promise<Response>;

/** The network of a simulation, in place of the global `fetch`. A request has a latency; a host that is cut off never answers. */
export class Network {
  readonly #random: Random;
  readonly #hosts = new Map<string, Handler>();
  readonly #ends = new Set<() => void>();
  readonly #latency = () => sleep(this.#random.integer(1, 60));

  constructor(random: Random) {
    this.#random = random;
  }

  /** Serves a host, and returns its address. */
  serve(host: string, handler: Handler): string {
    this.#hosts.set(host, handler);
    return `http://${host}`;
  }

  /** From now on, no request to the host is answered, including current ones. */
  cutOff(host: string): void {
    this.#hosts.delete(host);
  }

  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const {host, pathname} = new URL(input instanceof Request ? input.url : input);
    const {signal, body = ''} = init ?? {};
    const answering = async () => {
      await this.#latency();
      const handler = this.#hosts.get(host);
      // The host continues, also if the request is cancelled.
      const answer = await workFor(undefined, () => handler?.({path: pathname.slice(1), body: body as string}));
      await this.#latency();
      // A host that was cut off in between does not answer any more.
      return answer && handler === this.#hosts.get(host) ? answer : new Promise<never>(() => undefined);
    };
    return new Promise((resolve, reject) => {
      const abort = () => {
        reject(signal?.reason as Error);
      };
      const end = () => {
        signal?.removeEventListener('abort', abort);
        this.#ends.delete(end);
      };
      this.#ends.add(end);
      signal?.addEventListener('abort', abort);
      void answering().then(resolve, reject).finally(end);
    });
  };

  /** Drops the current requests. Node retains a signal that has a listener, and everything that refers to it. */
  close(): void {
    for (const end of this.#ends) end();
  }
}
