import {createHash} from 'node:crypto';
import {uniformInt} from 'pure-rand/distribution/uniformInt';
import {xoroshiro128plus} from 'pure-rand/generator/xoroshiro128plus';
import type {Hex} from 'viem';

/** The only source of chance in a simulation: a seed determines every choice. */
export class Random {
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number) {
    // Without the hash, seeds that follow each other would begin with nearly the same numbers.
    this.#generator = xoroshiro128plus(createHash('sha256').update(String(seed)).digest().readInt32LE());
    for (let count = 0; count < 16; count++) this.integer(0, 1);
  }

  /** Returns an integer from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  /** @param probability from 0 to 1 */
  chance(probability: number): boolean {
    return this.integer(1, 1_000_000) <= probability * 1_000_000;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }

  bytes(count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(count).map(() => this.integer(0, 255));
  }

  hex(count: number): Hex {
    return `0x${Buffer.from(this.bytes(count)).toString('hex')}`;
  }

  uuid(): string {
    return this.hex(16).replace(/^0x(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}
