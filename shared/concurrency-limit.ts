/** Running work, and the counters that include it. */
interface Running {
  readonly slots: readonly string[];
  /** By the monotonic clock. */
  readonly since: number;
}

/** Limits concurrent work: in total, and for each value of other keys, for example for each client. */
export class ConcurrencyLimit<Key extends string = never> {
  readonly #limits: Readonly<Record<Key | 'total', number>>;
  readonly #lostAfterMs: number;
  readonly #counts = new Map<string, number>();
  /** Oldest first. */
  readonly #running = new Set<Running>();

  /** @param lostAfterMs longer work no longer counts: the host has stopped it, and a Worker does not run its `finally` */
  constructor(limits: Readonly<Record<NoInfer<Key> | 'total', number>>, lostAfterMs = Number.POSITIVE_INFINITY) {
    [this.#limits, this.#lostAfterMs] = [limits, lostAfterMs];
  }

  /**
   * Runs the work, or returns undefined immediately if a limit is reached. Nothing is queued.
   * @param values the value of each key; without a value the work only counts towards the other limits
   */
  async run<T>(values: Readonly<Record<Key, string | undefined>>, work: () => Promise<T>): Promise<T | undefined> {
    const release = this.enter(values);
    if (!release) return undefined;
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Counts work that starts now, and returns a function to call once when it ends. Returns undefined if a limit is reached. */
  enter(values: Readonly<Record<Key, string | undefined>>): (() => void) | undefined {
    for (const work of this.#running) {
      if (performance.now() - work.since <= this.#lostAfterMs) break;
      this.#end(work);
    }
    const slots = Object.entries<string | undefined>({...values, total: ''})
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({slot: `${key} ${value}`, most: this.#limits[key as Key | 'total']}));
    if (slots.some(({slot, most}) => this.#count(slot) >= most)) return undefined;
    for (const {slot} of slots) this.#counts.set(slot, this.#count(slot) + 1);
    const work = {slots: slots.map(({slot}) => slot), since: performance.now()};
    this.#running.add(work);
    return () => {
      this.#end(work);
    };
  }

  #end(work: Running): void {
    if (this.#running.delete(work)) for (const slot of work.slots) this.#free(slot);
  }

  #count(slot: string): number {
    return this.#counts.get(slot) ?? 0;
  }

  #free(slot: string): void {
    const left = this.#count(slot) - 1;
    if (left > 0) this.#counts.set(slot, left);
    else this.#counts.delete(slot);
  }
}
