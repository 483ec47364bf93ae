type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Bytes by key. Those used last are kept up to a number of bytes in all; any others are found as long as somebody still
 * holds them, so that two who read the same never hold it twice.
 */
export class RecentBytes {
  readonly #most: number;
  readonly #kept = new Map<string, Bytes>();
  readonly #lent = new Map<string, WeakRef<Bytes>>();
  readonly #gone = new FinalizationRegistry<string>(key => {
    if (!this.#lent.get(key)?.deref()) this.#lent.delete(key);
  });
  #size = 0;

  /** @param most bytes that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Bytes | undefined {
    const bytes = this.#kept.get(key) ?? this.#lent.get(key)?.deref();
    if (bytes) this.#keep(key, bytes);
    return bytes;
  }

  set(key: string, bytes: Bytes): void {
    this.#lent.set(key, new WeakRef(bytes));
    this.#gone.register(bytes, key);
    this.#keep(key, bytes);
  }

  #keep(key: string, bytes: Bytes): void {
    this.#drop(key);
    this.#kept.set(key, bytes);
    this.#size += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.length ?? 0;
    this.#kept.delete(key);
  }
}
