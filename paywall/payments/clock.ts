/** For how long what was heard of the other clock counts, in milliseconds. */
const FRESH_MS = 30_000;

/**
 * How far our clock is from that of a server which is asked now and then, by the header `Date` of its answers (RFC 9110,
 * section 6.6.1). A server that sends none is taken to agree with us.
 */
export class ClockDifference {
  readonly #now: () => number;
  #heardAt = Number.NEGATIVE_INFINITY;
  #ahead: number | undefined;

  /** @param now our clock, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes note of an answer. */
  hear(headers: Headers): void {
    // A cache in between keeps the date of its copy, and says how old that is.
    const date = Date.parse(headers.get('Date') ?? '') + 1000 * (Number(headers.get('Age')) || 0);
    if (Number.isNaN(date)) return;
    this.#heardAt = this.#now();
    this.#ahead = this.#heardAt - date;
  }

  /**
   * Milliseconds by which our clock is ahead of the other, less than 0 where it is behind; nothing while somebody else is
   * asking, for whom a Worker may not wait.
   *
   * @param ask gets an answer, which `hear` is told of, where the last one is 30 seconds old
   */
  async ahead(ask: () => Promise<unknown>): Promise<number | undefined> {
    const age = this.#now() - this.#heardAt;
    // Less than 0 where our clock was set back since.
    if (age >= 0 && age < FRESH_MS) return this.#ahead;
    [this.#heardAt, this.#ahead] = [this.#now(), undefined];
    await ask();
    this.#ahead ??= 0;
    return this.#ahead;
  }
}
