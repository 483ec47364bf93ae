import {HELD_MS, type Ledger} from '../ledger/ledger.ts';
import {sleep} from './till.ts';
import type {Move, NewSale, Sale, State} from '../ledger/sale.ts';

const WRITE_AGAIN_MS = 250;
/** Most documents are handed out within so many milliseconds. */
const SOON_MS = 20;

/**
 * A sale in hand: nobody else works on it until it is let go. It is renewed for as long as this process lives, so it is
 * let go by itself where that dies.
 */
export class Hand<S extends NewSale = NewSale> {
  readonly sale: S;
  readonly #ledger: Ledger;
  readonly #holder: string;
  readonly #renewing: ReturnType<typeof setInterval>;
  /** By a clock that nobody sets. */
  #renewedAt = performance.now();
  #written: Promise<void> = Promise.resolve();
  #isEnding = false;
  #end: () => void = () => undefined;
  /** By which it was settled a moment ago. */
  #transaction: string | undefined;

  private constructor(ledger: Ledger, sale: S, holder: string) {
    [this.sale, this.#ledger, this.#holder] = [sale, ledger, holder];
    this.#renewing = setInterval(() => void this.#renew(), HELD_MS / 4);
  }

  /** Begins a sale; undefined where its authorization is known, or its payer has an open sale of the document. */
  static async claim(ledger: Ledger, sale: NewSale): Promise<Hand | undefined> {
    const holder = crypto.randomUUID();
    return (await ledger.claim(sale, holder)) ? new Hand(ledger, sale, holder) : undefined;
  }

  /** Takes up a sale in one of these states that was let go; undefined where it is in another, or somebody else has it. */
  static async take(ledger: Ledger, key: string, states: readonly State[]): Promise<Hand<Sale> | undefined> {
    const holder = crypto.randomUUID();
    const sale = await ledger.take(key, holder, states);
    return sale && new Hand(ledger, sale, holder);
  }

  /** Moves the sale on and keeps it in hand. Rejects where it was lost to somebody else, or the books cannot be written. */
  async moveAndKeep(move: Move): Promise<void> {
    if (await this.#move(move, true)) return;
    throw new Error(`another process has taken over the sale ${this.sale.key}`);
  }

  /**
   * Notes in a moment that the sale is settled, and keeps it in hand: its buyer need not wait for the disk, and where the document
   * is handed out by then, that is noted instead. Where this process ends before, the sale is found out like any whose answer
   * was lost. Throws where somebody else may have taken it over.
   *
   * @returns resolves when it is written, or never will be
   */
  settledBy(transaction: string): Promise<void> {
    if (performance.now() - this.#renewedAt > HELD_MS)
      throw new Error(`another process may have taken over the sale ${this.sale.key}`);
    this.#transaction = transaction;
    const ended = new Promise<void>(resolve => (this.#end = resolve));
    this.#written = Promise.race([sleep(SOON_MS), ended])
      .then(() => (this.#isEnding ? undefined : this.moveAndKeep({to: 'settled', transaction})))
      .catch(() => undefined);
    return this.#written;
  }

  /** Moves the sale on and lets it go. Where that fails, it lets itself go. */
  async moveAndLetGo(move: Move): Promise<void> {
    this.#isEnding = true;
    this.#end();
    await this.#written;
    this.drop();
    await this.#move(move, false);
  }

  /**
   * Lets a settled sale go: its document was handed out, or is owed. What could not be written before is written now.
   *
   * @param arrives whether what was sent is known to arrive
   */
  handedOut(isSent: boolean, arrives = true): Promise<void> {
    return this.moveAndLetGo({to: isSent && arrives ? 'delivered' : 'settled', isSent, transaction: this.#transaction});
  }

  /** What has happened is written down, though the books may be out of reach for a moment. */
  async #move(move: Move, keep: boolean): Promise<boolean> {
    for (const end = performance.now() + HELD_MS; ; await sleep(WRITE_AGAIN_MS)) {
      try {
        return await this.#ledger.move(this.sale.key, this.#holder, move, keep);
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    // Where it fails, it is tried again, or somebody else takes over.
    if (await this.#ledger.renew(this.sale.key, this.#holder).catch(() => false)) this.#renewedAt = now;
  }

  /** Renews it no more: it lets itself go as it is. */
  drop(): void {
    clearInterval(this.#renewing);
  }
}
