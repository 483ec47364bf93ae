import type {Hono} from 'hono';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import type {Sending} from '../../paywall/payments/sales/lease.ts';
import {reconcile} from '../../paywall/payments/sales/reconcile.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {recoverOnce} from './keys.ts';
import {BASE_URL, type Site} from './site.ts';

export interface GateOptions {
  readonly name: string;
  readonly ledger: Ledger;
  readonly facilitatorUrl: string;
  /** Undefined for a gate without a node of its own. */
  readonly rpcUrl: string | undefined;
  readonly clockSkewMs: number;
  /** Whether the host knows that a client received the last byte, as Node does and Workers do not. */
  readonly knowsDelivery: boolean;
}

/** An answer that a client received completely. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const RECONCILE_EVERY_MS = 60_000;
const noAnswer = Symbol('no answer');

/** A process that runs the real gate in the simulated world. */
export class SimulatedGate {
  readonly name: string;
  readonly #services: PaymentServices;
  readonly #knowsDelivery: boolean;
  readonly #reconciling: ReturnType<typeof setInterval>;
  readonly #died: Promise<typeof noAnswer>;
  #app: Hono<GateEnv> | undefined;
  #isAlive = true;
  #die: () => void = () => undefined;

  constructor({name, ledger, facilitatorUrl, rpcUrl, clockSkewMs, knowsDelivery}: GateOptions) {
    [this.name, this.#knowsDelivery] = [name, knowsDelivery];
    const services = openServices({
      ...{ledger, rpcUrl, recover: recoverOnce, facilitator: new HttpFacilitator(facilitatorUrl)},
      keepAlive: work => void work.catch(() => undefined),
    });
    this.#services = {...services, clock: () => Date.now() + clockSkewMs};
    this.#died = new Promise(
      resolve =>
        (this.#die = () => {
          resolve(noAnswer);
        }),
    );
    this.#reconciling = setInterval(() => void this.reconcile(), RECONCILE_EVERY_MS);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  publish({rules, catalogue, documents}: Site): void {
    this.#app = createGate({rules, catalogue, documents, services: this.#services});
  }

  /** Ends the process: nothing that it awaits is answered any more. */
  die(): void {
    this.#isAlive = false;
    clearInterval(this.#reconciling);
    this.#die();
  }

  stopReconciling(): void {
    clearInterval(this.#reconciling);
  }

  async reconcile(): Promise<void> {
    await reconcile(this.#services).catch(() => undefined);
  }

  /**
   * Sends a request.
   *
   * @param patienceMs after this time the client hangs up
   * @returns undefined if there was no complete answer
   */
  async get(path: string, headers: Readonly<Record<string, string>>, patienceMs: number): Promise<Answer | undefined> {
    let isGone = false;
    let reportSent: (sending: Sending) => void = () => undefined;
    const sent = new Promise<Sending>(resolve => (reportSent = resolve));
    let hangingUp: ReturnType<typeof setTimeout> | undefined;
    const hangUp = new Promise<typeof noAnswer>(
      resolve =>
        (hangingUp = setTimeout(() => {
          isGone = true;
          resolve(noAnswer);
        }, patienceMs)),
    );
    const answering = this.#answer(path, headers, sent).then(answer => {
      if (!this.#isAlive) return noAnswer;
      reportSent(
        isGone || answer === noAnswer
          ? this.#knowsDelivery
            ? 'cut off'
            : 'unknown'
          : this.#knowsDelivery
            ? 'delivered'
            : 'unknown',
      );
      return answer;
    });
    const answer = await Promise.race([answering, hangUp, this.#died]);
    clearTimeout(hangingUp);
    return answer === noAnswer ? undefined : answer;
  }

  async #answer(path: string, headers: Readonly<Record<string, string>>, sent: Promise<Sending>) {
    if (!this.#app) throw new Error('the gate has no site');
    const response = await this.#app.request(BASE_URL + path, {headers}, {target: path, sent: () => sent});
    // The gate breaks an answer off if the ledger fails in the middle of a document.
    const text = await response.text().catch(() => undefined);
    return text === undefined ? noAnswer : {status: response.status, headers: response.headers, text};
  }
}
