/** Counts what is under way, altogether and for each of those who want it, and lets no more begin than there is room for. */
export class UnderWay {
  readonly #most: number;
  readonly #mostForOne: number;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(most: number, mostForOne: number = most) {
    [this.#most, this.#mostForOne] = [most, mostForOne];
  }

  /** Does the work for somebody; nothing where there is no room. Nobody waits, so nothing is kept of who is turned away. */
  async run<T>(who: string, work: () => Promise<T>): Promise<T | undefined> {
    const count = this.#counts.get(who) ?? 0;
    if (this.#all >= this.#most || count >= this.#mostForOne) return undefined;
    this.#all += 1;
    this.#counts.set(who, count + 1);
    try {
      return await work();
    } finally {
      this.#all -= 1;
      const left = (this.#counts.get(who) ?? 1) - 1;
      if (left > 0) this.#counts.set(who, left);
      else this.#counts.delete(who);
    }
  }
}
