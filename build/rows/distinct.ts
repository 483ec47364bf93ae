const BITS = 53;
const BUCKETS = 1024;
const BUCKET_SIZE = 2 ** BITS / BUCKETS;
const FEWEST = 16;
const FREE = -1;

/**
 * Numbers of which none may stand twice. They are whole, of 53 bits, and evenly spread, as parts of a hash are: they are put into
 * buckets by their size, so that each bucket's table fits the processor's cache. (Multiplying and `| 0` where a division and
 * `Math.floor` would read better: they make this three times as fast.)
 */
export class Distinct {
  private readonly buckets = new Array<Float64Array | undefined>(BUCKETS);
  private readonly sizes = new Uint32Array(BUCKETS);

  add(number: number): void {
    const index = (number * (1 / BUCKET_SIZE)) | 0;
    const size = this.sizes[index] ?? 0;
    let bucket = this.buckets[index];
    if (bucket === undefined || size === bucket.length) this.buckets[index] = bucket = larger(bucket);
    bucket[size] = number;
    this.sizes[index] = size + 1;
  }

  /** True where no number was added twice. */
  holds(): boolean {
    const largest = this.sizes.reduce((most, size) => Math.max(most, size), 1);
    const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * largest)));
    return this.buckets.every(
      (bucket, index) =>
        bucket === undefined || isDistinct(bucket.subarray(0, this.sizes[index]), index * BUCKET_SIZE, slots),
    );
  }
}

function larger(bucket: Float64Array = new Float64Array()): Float64Array {
  const grown = new Float64Array(Math.max(FEWEST, 4 * bucket.length));
  grown.set(bucket);
  return grown;
}

/** Open addressing: a number goes to the first free slot from the one that its place in the bucket's range points to. */
function isDistinct(numbers: Float64Array, base: number, slots: Float64Array): boolean {
  const slotsPerNumber = slots.length / BUCKET_SIZE;
  const mask = slots.length - 1;
  slots.fill(FREE);
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0;
    let slot = ((number - base) * slotsPerNumber) | 0;
    while (slots[slot] !== FREE) {
      if (slots[slot] === number) return false;
      slot = (slot + 1) & mask;
    }
    slots[slot] = number;
  }
  return true;
}
