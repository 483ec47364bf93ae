/** Limits how much work runs at a time, in total and per client. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #mostPerClient: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(most: number, mostPerClient: number = most) {
    [this.#most, this.#mostPerClient] = [most, mostPerClient];
  }

  /** Runs the work, or returns undefined at once if a limit is reached. Nothing waits, so nothing is stored for the refused. */
  async run<T>(client: string, work: () => Promise<T>): Promise<T | undefined> {
    const count = this.#counts.get(client) ?? 0;
    if (this.#total >= this.#most || count >= this.#mostPerClient) return undefined;
    this.#total += 1;
    this.#counts.set(client, count + 1);
    try {
      return await work();
    } finally {
      this.#total -= 1;
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left > 0) this.#counts.set(client, left);
      else this.#counts.delete(client);
    }
  }
}
