import type {Hono} from 'hono';
import type {PrivateKeyAccount} from 'viem/accounts';
import {answerInWorker} from '../../paywall/hosts/answer-in-worker.ts';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import type {Sending} from '../../paywall/payments/sales/lease.ts';
import {reconcile} from '../../paywall/payments/sales/reconcile.ts';
import {sleep, type PaymentServices} from '../../paywall/payments/services.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {Settler} from '../../paywall/settler/settler.ts';
import {recoverOnce} from './keys.ts';
import {streamed} from './light-web.ts';
import {requests, WorkerRequest} from './requests.ts';
import {BASE_URL, type Site} from './site.ts';

export interface GateOptions {
  readonly name: string;
  readonly ledger: Ledger;
  readonly facilitatorUrl: string;
  /** Undefined for a gate without a node. */
  readonly rpcUrl: string | undefined;
  /** The account of a gate that settles itself. */
  readonly settler: PrivateKeyAccount | undefined;
  readonly isWorker: boolean;
  readonly clockSkewMs: number;
  /** True if the host knows that a client received the last byte, as Node does, but not Workers. */
  readonly knowsDelivery: boolean;
}

/** An answer that a client received completely. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const RECONCILE_EVERY_MS = 60_000;
const REBROADCAST_EVERY_MS = 2_000;
const noAnswer = Symbol('no answer');

/** A process, or an isolate of a Worker, that runs the real gate in the simulated world. */
export class SimulatedGate {
  readonly name: string;
  readonly #services: PaymentServices;
  readonly #options: GateOptions;
  readonly #died: Promise<typeof noAnswer>;
  /** Work that the process ends before it stops. */
  readonly #open = new Set<Promise<unknown>>();
  #app: Hono<GateEnv> | undefined;
  #isAlive = true;
  #isReconciling = true;
  #die: () => void = () => undefined;

  constructor(options: GateOptions) {
    const {name, ledger, facilitatorUrl, rpcUrl, clockSkewMs, isWorker, settler: account} = options;
    [this.name, this.#options] = [name, options];
    const settler = account && rpcUrl !== undefined ? new Settler({account, rpcUrl, ledger}) : undefined;
    const services = openServices({
      ...{ledger, rpcUrl, recover: recoverOnce, facilitator: settler ?? new HttpFacilitator(facilitatorUrl)},
      keepAlive: work => {
        requests.getStore()?.waitUntil(work);
        void this.#keep(work);
      },
    });
    this.#services = {...services, clock: () => Date.now() + clockSkewMs};
    this.#died = new Promise(
      resolve =>
        (this.#die = () => {
          resolve(noAnswer);
        }),
    );
    void this.#repeat(RECONCILE_EVERY_MS, () => reconcile(this.#services));
    if (settler) void this.#repeat(isWorker ? RECONCILE_EVERY_MS : REBROADCAST_EVERY_MS, () => settler.rebroadcast());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  publish({rules, catalogue, documents}: Site): void {
    this.#app = createGate({rules, catalogue, documents, services: this.#services});
  }

  /** Ends the process: from now on its requests get no responses. */
  die(): void {
    this.#isAlive = false;
    this.#die();
  }

  stopReconciling(): void {
    this.#isReconciling = false;
  }

  /**
   * Resolves when every waiting client has its response, and the work is done for which the gate keeps its host alive.
   */
  async completed(): Promise<void> {
    this.stopReconciling();
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /**
   * Sends a request.
   *
   * @param patienceMs after this time the client hangs up
   * @param heldMs for how long a Worker continues after that
   * @returns undefined if there was no complete answer
   */
  async get(
    path: string,
    headers: Readonly<Record<string, string>>,
    patienceMs: number,
    heldMs?: number,
  ): Promise<Answer | undefined> {
    const client = new AbortController();
    const inWorker = this.#options.isWorker ? new WorkerRequest(heldMs) : undefined;
    let hangingUp: ReturnType<typeof setTimeout> | undefined;
    const hangUp = new Promise<typeof noAnswer>(
      resolve =>
        (hangingUp = setTimeout(() => {
          client.abort();
          resolve(noAnswer);
        }, patienceMs)),
    );
    const answering = inWorker
      ? requests.run(inWorker, () => this.#answerInWorker(path, headers, client.signal, inWorker))
      : this.#answer(path, headers, client.signal);
    const answer = await this.#keep(Promise.race([answering, hangUp, this.#died]));
    inWorker?.end();
    clearTimeout(hangingUp);
    return answer === noAnswer ? undefined : answer;
  }

  async #answer(path: string, headers: Readonly<Record<string, string>>, hungUp: AbortSignal) {
    let reportSent: (sending: Sending) => void = () => undefined;
    const sent = new Promise<Sending>(resolve => (reportSent = resolve));
    const response = await this.#gate.request(BASE_URL + path, {headers}, {target: path, sent: () => sent});
    const answer = await received(response);
    if (!this.#isAlive) return noAnswer;
    const isDelivered = answer !== noAnswer && !hungUp.aborted;
    reportSent(this.#options.knowsDelivery ? (isDelivered ? 'delivered' : 'cut off') : 'unknown');
    return answer;
  }

  async #answerInWorker(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    inWorker: WorkerRequest,
  ) {
    const gate = {
      fetch: async (...args: Parameters<Hono<GateEnv>['fetch']>) => streamed(await this.#gate.fetch(...args)),
    };
    const request = new Request(BASE_URL + path, {headers, signal});
    const response = await answerInWorker(gate, request, work => {
      inWorker.waitUntil(work);
    });
    // A client that has hung up reads nothing.
    const answer = signal.aborted ? noAnswer : await received(response);
    return this.#isAlive ? answer : noAnswer;
  }

  #keep<Result>(work: Promise<Result>): Promise<Result> {
    const release = () => {
      this.#open.delete(ended);
    };
    const ended: Promise<void> = work.then(release, release);
    this.#open.add(ended);
    return work;
  }

  get #gate(): Hono<GateEnv> {
    if (!this.#app) throw new Error('the gate has no site');
    return this.#app;
  }

  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      await sleep(pauseMs);
      if (!this.#isAlive || !this.#isReconciling) return;
      await work().catch(() => undefined);
    }
  }
}

/** The gate cuts off a response if the ledger fails during a document. */
async function received(response: Response): Promise<Answer | typeof noAnswer> {
  const text = await response.text().catch(() => undefined);
  return text === undefined ? noAnswer : {status: response.status, headers: response.headers, text};
}
