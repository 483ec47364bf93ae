import type {OnTrouble} from './facilitator.ts';

/** For how long what was heard of the other clock counts, in milliseconds. */
const FRESH_MS = 30_000;
/** Less than buyers' clocks may differ from ours (`untimely`), and more than an answer may take. */
export const CLOCK_TOLERANCE_MS = 30_000;

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
  hear(headers: Pick<Headers, 'get'>): void {
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

/** Tells the publisher where our clock is wrong by that of a server, once until it is right again. */
export class ClockWatch {
  readonly #difference: ClockDifference;
  readonly #server: string;
  readonly #onTrouble: OnTrouble;
  #isOff = false;

  /**
   * @param server whose clock it is, as it is told
   * @param now our clock, in milliseconds since 1970
   */
  constructor(server: string, onTrouble: OnTrouble, now: () => number = Date.now) {
    [this.#difference, this.#server, this.#onTrouble] = [new ClockDifference(now), server, onTrouble];
  }

  /** Takes note of an answer. */
  readonly hear = (headers: Pick<Headers, 'get'>): void => {
    this.#difference.hear(headers);
  };

  /** Whether a payment that looks untimely may be good. `ask` is called as by `ClockDifference.ahead`. */
  async isOff(ask: () => Promise<unknown>): Promise<boolean> {
    const ahead = await this.#difference.ahead(ask);
    if (ahead === undefined) return true; // not known yet: asked again, a buyer will hear the truth
    const isOff = Math.abs(ahead) > CLOCK_TOLERANCE_MS;
    if (isOff && !this.#isOff)
      this.#onTrouble(
        `The clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} that of ${this.#server}: payments that it takes for untimely are put off until it is right.`,
      );
    this.#isOff = isOff;
    return isOff;
  }
}
