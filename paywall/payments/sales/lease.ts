import {LEASE_MS, type Ledger} from '../../ledger/ledger.ts';
import {sleep} from '../services.ts';
import type {Move, NewSale, Sale, State} from '../../ledger/sale.ts';

const WRITE_AGAIN_MS = 250;
/** To record a delivery, the ledger adds two times that are rounded down to milliseconds. */
const LOST_FRACTIONS_MS = 2;
/** Most documents are delivered within this time, in milliseconds. */
const SOON_MS = 20;

/** The outcome of sending a document. `unknown`: all bytes were sent, and the host does not know whether they arrived. */
export type Sending = 'delivered' | 'unknown' | 'cut off';

/**
 * The exclusive right of this process to work on a sale, until it releases the sale. The lease is renewed while the process lives. If the
 * process dies, the lease ends by itself within seconds.
 */
export class Lease<S extends NewSale = NewSale> {
  readonly sale: S;
  readonly #ledger: Ledger;
  readonly #holder: string;
  readonly #renewing: ReturnType<typeof setInterval>;
  /** When the sale started, by the monotonic clock of this process. */
  readonly #startedAt: number;
  #renewedAt: number;
  #written: Promise<void> = Promise.resolve();
  #isEnding = false;
  #end: () => void = () => undefined;
  /** The transaction of a settlement that is not recorded yet. */
  #transaction: string | undefined;

  /**
   * @param askedAt when the ledger was called. It wrote the lease at some time between the call and its answer
   * @param startedAt when the sale started, or later. An earlier time would date deliveries too late, and the next purchase would be refused
   */
  private constructor(ledger: Ledger, sale: S, holder: string, askedAt: number, startedAt: number) {
    [this.sale, this.#ledger, this.#holder] = [sale, ledger, holder];
    [this.#renewedAt, this.#startedAt] = [askedAt, startedAt];
    this.#renewing = setInterval(() => void this.#renew(), LEASE_MS / 4);
  }

  /**
   * Records a new sale. Returns undefined if its authorization is recorded already or has collected a document, or if its payer has an
   * open sale of the document, or received it after this request arrived.
   *
   * @param arrivedAt of the request: its client may have given up, and bought the document with another request meanwhile
   */
  static async start(ledger: Ledger, sale: NewSale, arrivedAt: number): Promise<Lease | undefined> {
    const holder = crypto.randomUUID();
    // The ledger read its clock before it answered, so this is not later than the arrival.
    const since = (await ledger.time()) - Math.ceil(performance.now() - arrivedAt) - LOST_FRACTIONS_MS;
    const askedAt = performance.now();
    const isStarted = await ledger.start(sale, holder, since);
    return isStarted ? new Lease(ledger, sale, holder, askedAt, performance.now()) : undefined;
  }

  /** Leases a recorded sale in one of these states. Returns undefined if it is in another state or leased by another process. */
  static async take(ledger: Ledger, key: string, states: readonly State[]): Promise<Lease<Sale> | undefined> {
    const holder = crypto.randomUUID();
    const askedAt = performance.now();
    const sale = await ledger.lease(key, holder, states);
    return sale && new Lease(ledger, sale, holder, askedAt, performance.now() - (sale.readAt - sale.startedAt));
  }

  /**
   * Records soon that the sale is settled, and keeps the lease. The buyer does not wait for the disk: if the document is delivered by then,
   * that is recorded instead. If this process dies before, the sale is resolved like one without an answer of the facilitator. Throws if
   * another process may have leased the sale.
   *
   * @returns resolves when it is recorded, or never will be
   */
  settledBy(transaction: string): Promise<void> {
    if (performance.now() - this.#renewedAt > LEASE_MS)
      throw new Error(`another process may have leased the sale ${this.sale.key}`);
    this.#transaction = transaction;
    const ended = new Promise<void>(resolve => (this.#end = resolve));
    this.#written = Promise.race([sleep(SOON_MS), ended])
      .then(() => (this.#isEnding ? undefined : this.#move({to: 'settled', transaction}, true)))
      .then(
        () => undefined,
        () => undefined,
      );
    return this.#written;
  }

  /** Moves the sale to another state and releases it. If that fails, the lease ends by itself. */
  async moveAndRelease(move: Move): Promise<void> {
    this.#isEnding = true;
    this.#end();
    await this.#written;
    this.drop();
    await this.#move(move, false);
  }

  /** Deletes the sale. Its payment was not sent to a facilitator, so the buyer may send it again. */
  async withdraw(): Promise<void> {
    this.drop();
    await this.#ledger.withdraw(this.sale.key, this.#holder);
  }

  /** Releases a settled sale after its document was sent, or could not be. Records the settlement too if that was not possible before. */
  sent(sending: Sending): Promise<void> {
    const to = sending === 'delivered' ? 'delivered' : 'settled';
    // Recorded as of now, however long the ledger takes: a later request for the document must not be taken for an older one.
    const sentAfterMs = Math.floor(performance.now() - this.#startedAt);
    return this.moveAndRelease({to, transaction: this.#transaction, ...(sending !== 'cut off' && {sentAfterMs})});
  }

  /** Tries for some seconds, because the ledger may be briefly unavailable. */
  async #move(move: Move, keep: boolean): Promise<boolean> {
    for (const end = performance.now() + LEASE_MS; ; await sleep(WRITE_AGAIN_MS)) {
      try {
        return await this.#ledger.move(this.sale.key, this.#holder, move, keep);
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    // If it fails, it is tried again, or another process leases the sale.
    if (await this.#ledger.renew(this.sale.key, this.#holder).catch(() => false)) this.#renewedAt = now;
  }

  /** Stops renewing, so that the lease ends by itself and the sale keeps its state. */
  drop(): void {
    clearInterval(this.#renewing);
  }
}
