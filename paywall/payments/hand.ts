import {HELD_MS, type Ledger} from '../ledger/ledger.ts';
import type {Move, NewSale, Sale, State} from '../ledger/sale.ts';

/**
 * A sale in hand: nobody else works on it until it is let go. It is renewed for as long as this process lives, so it is
 * let go by itself where that dies.
 */
export class Hand<S extends NewSale = NewSale> {
  readonly sale: S;
  readonly #ledger: Ledger;
  readonly #holder: string;
  readonly #renewing: ReturnType<typeof setInterval>;

  private constructor(ledger: Ledger, sale: S, holder: string) {
    [this.sale, this.#ledger, this.#holder] = [sale, ledger, holder];
    this.#renewing = setInterval(() => {
      ledger.renew(sale.key, holder).catch(() => undefined); // tried again, or somebody else takes over
    }, HELD_MS / 4);
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
    if (await this.#ledger.move(this.sale.key, this.#holder, move, true)) return;
    this.#stop();
    throw new Error(`another process has taken over the sale ${this.sale.key}`);
  }

  /** Moves the sale on and lets it go. Where that fails, it lets itself go. */
  async moveAndLetGo(move: Move): Promise<void> {
    this.#stop();
    await this.#ledger.move(this.sale.key, this.#holder, move);
  }

  /** Lets a settled sale go that was not handed out: it is owed. */
  letGo(): Promise<void> {
    return this.moveAndLetGo({to: 'settled'});
  }

  #stop(): void {
    clearInterval(this.#renewing);
  }
}
