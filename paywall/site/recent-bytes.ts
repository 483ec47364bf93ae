type Bytes = Uint8Array<ArrayBuffer>;

/**
 * A cache of bytes by key with a maximum size. It evicts the least recently used bytes, but still finds them while a response uses them, so
 * that no bytes are in memory twice.
 */
export class RecentBytes {
  readonly #maxBytes: number;
  readonly #recent = new Map<string, Bytes>();
  readonly #inUse = new Map<string, WeakRef<Bytes>>();
  readonly #collected = new FinalizationRegistry<string>(key => {
    if (!this.#inUse.get(key)?.deref()) this.#inUse.delete(key);
  });
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Bytes | undefined {
    const bytes = this.#recent.get(key) ?? this.#inUse.get(key)?.deref();
    if (bytes) this.#cache(key, bytes);
    return bytes;
  }

  set(key: string, bytes: Bytes): void {
    this.#inUse.set(key, new WeakRef(bytes));
    this.#collected.register(bytes, key);
    this.#cache(key, bytes);
  }

  #cache(key: string, bytes: Bytes): void {
    this.#evict(key);
    this.#recent.set(key, bytes);
    this.#size += bytes.length;
    for (const oldest of this.#recent.keys()) {
      if (this.#size <= this.#maxBytes) return;
      this.#evict(oldest);
    }
  }

  #evict(key: string): void {
    this.#size -= this.#recent.get(key)?.length ?? 0;
    this.#recent.delete(key);
  }
}
