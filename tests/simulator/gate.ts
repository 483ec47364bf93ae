import type {Hono} from 'hono';
import type {Hex} from 'viem';
import {answerInWorker} from '../../paywall/hosts/answer-in-worker.ts';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {openDurableObject} from '../../paywall/ledger/object-ledger.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import type {Sending} from '../../paywall/payments/sales/lease.ts';
import {reconcile} from '../../paywall/payments/sales/reconcile.ts';
import {sleep, type PaymentServices} from '../../paywall/payments/services.ts';
import {Settler} from '../../paywall/settler/settler.ts';
import {facilitator} from './facilitator.ts';
import {recoverOnce} from './keys.ts';
import type {Handler} from './network.ts';
import {reachedBy, stubOf} from './ledger.ts';
import {streamed} from './light-web.ts';
import {requests, workFor, WorkerRequest} from './requests.ts';
import {BASE_URL, type Site} from './site.ts';
import type {World} from './world.ts';

/** An answer that a client received completely. */
export type Answer = Pick<Response, 'status' | 'headers'> & {readonly text: string};

const RECONCILE_EVERY_MS = 60_000;
const REBROADCAST_EVERY_MS = 2_000;

/** A process, or an isolate of a Worker, that runs the real gate in the simulated world. */
export class SimulatedGate {
  readonly name: string;
  isAlive = true;
  isReconciling = true;
  /** The transactions that its facilitator waits for, and answers in time. */
  readonly settling = new Set<Hex>();
  readonly #world: World;
  readonly #services: PaymentServices;
  /** Work that the process ends before it stops. */
  readonly #open = new Set<Promise<unknown>>();
  #die: (value?: undefined) => void = () => undefined;
  readonly #died = new Promise<undefined>(resolve => (this.#die = resolve));
  #app: Hono<GateEnv>;
  #clockSkewMs: number;

  constructor(world: World, number: number, site: Site) {
    const {network, settler: account} = world;
    const {hasNode, areWorkers, clockSkewMs} = world.conditions;
    [this.#world, this.name, this.#clockSkewMs] = [world, `gate-${number}`, number % 2 === 1 ? clockSkewMs : 0];
    const facilitatorUrl = network.serve(`${this.name}.facilitator`, this.#mortal(facilitator(world, this.settling)));
    const rpcUrl = hasNode ? network.serve(`${this.name}.node`, this.#mortal(world.answerNode)) : undefined;
    const reached = reachedBy(world, this);
    const ledger = areWorkers ? openDurableObject({idFromName: name => name, get: () => stubOf(reached)}) : reached;
    const settler = account && rpcUrl !== undefined ? new Settler({account, rpcUrl, ledger}) : undefined;
    const services = openServices({
      ...{ledger, rpcUrl, recover: recoverOnce, facilitator: settler ?? new HttpFacilitator(facilitatorUrl)},
      keepAlive: work => {
        requests.getStore()?.waitUntil(work);
        void this.#keep(work);
      },
    });
    this.#services = {...services, clock: () => Date.now() + this.#clockSkewMs};
    this.#app = createGate({...site, services: this.#services});
    void this.#repeat(RECONCILE_EVERY_MS, () => this.reconcile());
    if (settler) void this.#repeat(areWorkers ? RECONCILE_EVERY_MS : REBROADCAST_EVERY_MS, () => settler.rebroadcast());
  }

  /** The process may die while a host works for it. */
  #mortal(handler: Handler): Handler {
    return request => {
      if (this.#world.isFailing(this.#world.conditions.deaths)) this.#world.kill(this);
      return handler(request);
    };
  }

  /** Returns the number of works that it can start, which never end. */
  fill(): number {
    const {verifications, waiting, downloads} = this.#services;
    let started = 0;
    const start = () => new Promise<never>(() => (started += 1));
    for (let count = 0; count < 300; count++) {
      const claimant = {client: undefined, payer: String(count)};
      for (const isByKey of [true, false]) void verifications.run({...claimant, isByKey}, start);
      for (const limit of [waiting, downloads]) void limit.run(claimant, start);
    }
    return started;
  }

  reconcile(): Promise<void> {
    return reconcile(this.#services).catch(() => undefined);
  }

  publish(site: Site): void {
    this.#app = createGate({...site, services: this.#services});
  }

  /** Ends the process: from now on its requests get no responses, and its facilitator and its node do not answer it. */
  die(): void {
    this.isAlive = false;
    this.#die();
    for (const host of ['facilitator', 'node']) this.#world.network.cutOff(`${this.name}.${host}`);
  }

  /** Corrects its clock, or makes it wrong again. */
  jump(): void {
    this.#clockSkewMs = this.#clockSkewMs === 0 ? this.#world.conditions.clockSkewMs : 0;
    this.#world.trace(() => `the clock of ${this.name} jumps`);
  }

  /** Resolves when every waiting client has its response, and the work is done for which the gate keeps its host alive. */
  async completed(): Promise<void> {
    this.isReconciling = false;
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Returns the answer, or undefined if it is incomplete or lost, or the client has hung up. A Worker then continues for `heldMs`. */
  async get(path: string, headers: Readonly<Record<string, string>>, patienceMs: number, heldMs?: number) {
    const client = new AbortController();
    const {areWorkers, hangUps, knowsDelivery} = this.#world.conditions;
    const inWorker = areWorkers ? new WorkerRequest(heldMs) : undefined;
    let hangingUp: ReturnType<typeof setTimeout> | undefined;
    const hangUp = new Promise<undefined>(resolve => {
      hangingUp = setTimeout(() => {
        client.abort();
        resolve(undefined);
      }, patienceMs);
    });
    const parts = {url: BASE_URL + path, method: 'GET', headers: new Headers(headers), signal: client.signal};
    const request = parts as unknown as Request; // undici's class takes a tenth of a millisecond
    const answering = inWorker
      ? workFor(inWorker, () => this.#answerInWorker(request, inWorker))
      : this.#answer(request, path);
    const answer = await this.#keep(Promise.race([answering, hangUp, this.#died]));
    inWorker?.end();
    clearTimeout(hangingUp);
    return !knowsDelivery && this.#world.isFailing(hangUps / 4) ? undefined : answer;
  }

  async #answer(request: Request, path: string): Promise<Answer | undefined> {
    let reportSent: (sending: Sending) => void = () => undefined;
    const sent = new Promise<Sending>(resolve => (reportSent = resolve));
    const answer = await received(await this.#app.fetch(request, {target: path, sent: () => sent}));
    if (!this.isAlive) return undefined;
    const isDelivered = answer !== undefined && !request.signal.aborted;
    reportSent(this.#world.conditions.knowsDelivery ? (isDelivered ? 'delivered' : 'cut off') : 'unknown');
    return answer;
  }

  async #answerInWorker(request: Request, inWorker: WorkerRequest): Promise<Answer | undefined> {
    const fetch = async (...args: Parameters<Hono<GateEnv>['fetch']>) => streamed(await this.#app.fetch(...args));
    const response = await answerInWorker({fetch}, request, work => {
      inWorker.waitUntil(work);
    });
    // A client that has hung up reads nothing.
    const answer = request.signal.aborted ? undefined : await received(response);
    return this.isAlive ? answer : undefined;
  }

  #keep<Result>(work: Promise<Result>): Promise<Result> {
    const release = () => this.#open.delete(ended);
    const ended: Promise<boolean> = work.then(release, release);
    this.#open.add(ended);
    return work;
  }

  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      await sleep(pauseMs);
      if (!this.isAlive || !this.isReconciling) return;
      await work().catch(() => undefined);
    }
  }
}

/** The gate cuts off a response if the ledger fails during a document. */
async function received(response: Response): Promise<Answer | undefined> {
  const text = await response.text().catch(() => undefined);
  return text === undefined ? undefined : {status: response.status, headers: response.headers, text};
}
